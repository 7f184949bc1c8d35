#include "simulation/litmus/litmus_door.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "litmus/operations.hpp"
#include "litmus/parse.hpp"
#include "litmus/runner.hpp"
#include "support/rank_test.hpp"

namespace gondwana::simulation {
namespace {

using litmus::Act;
using litmus::Call;

class SimulatedDoor final : public litmus::Door {
 public:
  SimulatedDoor(Machine& machine, Engine& engine) : machine_(machine), world_(engine, 0) {}

  const char* name() const override { return "shmem"; }
  int me() const override { return world_.me(); }
  int size() const override { return world_.size(); }
  long* allocate(std::size_t words) override { return world_.allocate<long>(words).data(); }
  long* pointer_to(const long* own, int pe) override {
    return static_cast<long*>(
        world_.engine().rma().pointer_to(Rank(static_cast<std::uint32_t>(pe)), own));
  }
  void barrier() override { world_.barrier(); }
  bool knows(Act act) const override {
    return act < Act::am_short && act != Act::accumulate && act != Act::notify &&
           act != Act::notify_wait;
  }
  // Another rank may run in between, and for long.
  void pause(unsigned length) override {
    machine_.step();
    if (length % 8 == 7) machine_.sleep(length * std::uint64_t{1000});
  }

  void perform(const Call& call) override {
    machine_.step();
    switch (call.act) {
      case Act::fence:
        return shmem::fence(world_.as("fence"));
      case Act::quiet:
        return shmem::quiet(world_.as("quiet"));
      case Act::lock:
        return shmem::set_lock(world_.as("set_lock"), call.target);
      case Act::unlock:
        return shmem::clear_lock(world_.as("clear_lock"), call.target);
      case Act::barrier:
        return world_.barrier();
      case Act::sync:
        return shmem::sync_all(world_.as("sync_all"));
      case Act::broadcast:
        shmem::broadcast<8>(world_.as("broadcast"), SHMEM_TEAM_WORLD, call.target, call.source,
                            call.words, call.pe);
        return;
      case Act::sum:
        shmem::reduce<CombineOp::sum>(world_.as("sum_reduce"), SHMEM_TEAM_WORLD, call.target,
                                      call.source, call.words);
        return;
      default:
        break;
    }
    if (litmus::form_of(call.act).takes_arrays)
      transfer(call);
    else if (call.act >= Act::signal_fetch && call.act <= Act::wait_all)
      wait(call);
    else
      update(call);
  }

 private:
  void transfer(const Call& call) {
    auto* const signal = reinterpret_cast<std::uint64_t*>(call.signal);
    const auto value = static_cast<std::uint64_t>(call.signal_value);
    switch (call.act) {
      case Act::put:
        return shmem::put<8>(world_.as("put"), call.target, call.source, call.words, call.pe);
      case Act::put_nbi:
        return shmem::put_nbi<8>(world_.as("put_nbi"), call.target, call.source, call.words,
                                 call.pe);
      case Act::get:
        return shmem::get<8>(world_.as("get"), call.result, call.target, call.words, call.pe);
      case Act::get_nbi:
        return shmem::get_nbi<8>(world_.as("get_nbi"), call.result, call.target, call.words,
                                 call.pe);
      case Act::put_signal:
        return shmem::put_signal<8>(world_.as("put_signal"), call.target, call.source, call.words,
                                    signal, value, SHMEM_SIGNAL_SET, call.pe);
      case Act::put_signal_nbi:
        return shmem::put_signal_nbi<8>(world_.as("put_signal_nbi"), call.target, call.source,
                                        call.words, signal, value, SHMEM_SIGNAL_ADD, call.pe);
      default:
        break;
    }
    // The even words in one strided transfer, the odd ones in another.
    for (std::size_t first = 0; first < 2 && first < call.words; ++first) {
      const std::size_t count = (call.words - first + 1) / 2;
      if (call.act == Act::iput)
        shmem::iput<8>(world_.as("iput"), call.target + first, call.source + first, 2, 2, count,
                       call.pe);
      else
        shmem::iget<8>(world_.as("iget"), call.result + first, call.target + first, 2, 2, count,
                       call.pe);
    }
  }

  void wait(const Call& call) {
    auto* const signal = reinterpret_cast<std::uint64_t*>(call.target);
    switch (call.act) {
      case Act::signal_fetch:
        *call.result = static_cast<long>(shmem::signal_fetch(world_.as("signal_fetch"), signal));
        return;
      case Act::signal_wait:
        shmem::signal_wait_until(world_.as("signal_wait_until"), signal, SHMEM_CMP_EQ,
                                 static_cast<std::uint64_t>(call.value));
        return;
      case Act::wait_any:
        *call.result =
            static_cast<long>(shmem::wait_until_any(world_.as("wait_until_any"), call.target,
                                                    call.words, nullptr, SHMEM_CMP_EQ, call.value));
        return;
      case Act::wait_all:
        return shmem::wait_until_all(world_.as("wait_until_all"), call.target, call.words, nullptr,
                                     SHMEM_CMP_EQ, call.value);
      default:
        return shmem::wait_until(world_.as("wait_until"), call.target, SHMEM_CMP_EQ, call.value);
    }
  }

  void update(const Call& call) {
    auto* const signal = reinterpret_cast<std::uint64_t*>(call.target);
    const auto value = static_cast<std::uint64_t>(call.value);
    switch (call.act) {
      case Act::p:
        return shmem::p(world_.as("p"), call.target, call.value, call.pe);
      case Act::g:
        *call.result = shmem::g(world_.as("g"), call.target, call.pe);
        return;
      case Act::set:
        return shmem::atomic_set(world_.as("atomic_set"), call.target, call.value, call.pe);
      case Act::signal_set:
        return shmem::signal_set(world_.as("signal_set"), signal, value, call.pe);
      case Act::signal_add:
        return shmem::signal_add(world_.as("signal_add"), signal, value, call.pe);
      case Act::add:
        return shmem::update<AtomicOp::add>(world_.as("atomic_add"), call.target, call.value,
                                            call.pe);
      case Act::fetch_nbi:
        return shmem::atomic_fetch_nbi(world_.as("atomic_fetch_nbi"), call.result, call.target,
                                       call.pe);
      case Act::fetch:
        *call.result = shmem::atomic_fetch(world_.as("atomic_fetch"), call.target, call.pe);
        return;
      case Act::fetch_add:
        *call.result = shmem::atomic<AtomicOp::add>(world_.as("atomic_fetch_add"), call.target,
                                                    call.value, call.pe);
        return;
      case Act::swap:
        *call.result = shmem::atomic<AtomicOp::swap>(world_.as("atomic_swap"), call.target,
                                                     call.value, call.pe);
        return;
      default:
        *call.result = shmem::atomic_compare_swap(world_.as("atomic_compare_swap"), call.target,
                                                  call.value, call.other, call.pe);
    }
  }

  Machine& machine_;
  test::World world_;
};

bool has_contexts(const litmus::LitmusTest& test) {
  return std::ranges::any_of(test.programs, [](const auto& program) {
    return std::ranges::any_of(program, [](const auto& each) { return each.context != 0; });
  });
}

}  // namespace

Result<std::vector<litmus::LitmusTest>> simulated_tests(const std::string& folder) {
  Result<std::vector<litmus::LitmusTest>> tests = litmus::read_tests(folder, "shmem", "");
  if (tests) std::erase_if(*tests, has_contexts);
  return tests;
}

void run_litmus(Machine& machine, Engine& engine, const litmus::LitmusTest& test,
                std::uint64_t seed) {
  SimulatedDoor door(machine, engine);
  std::string told;
  litmus::Runner runner(door, {.seed = seed,
                               .iterations = 1,
                               .instances = 8,
                               .pool_words = std::size_t{1} << 14,
                               .print = [&](const std::string& text) { told += text; }});
  if (!runner.run({test})) machine.fail(told);
}

}  // namespace gondwana::simulation
