#include "simulation/engine/rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "support/absent_door.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {

void fail_call(const std::string& sentence) {
  simulation::Machine::present()->fail(sentence);
}

}  // namespace gondwana::test

namespace gondwana::simulation {
namespace {

using test::World;

constexpr std::byte overwritten{0xee};

class RankProgram {
 public:
  RankProgram(Machine& machine, const Program& program, Engine& engine)
      : machine_(machine),
        program_(program),
        world_(engine, 0),
        ranks_(program.ranks()),
        areas_(world_.allocate<std::byte>(ranks_ * Program::area_size)),
        mail_(world_.allocate<std::byte>(ranks_ * Program::mail_size)),
        flags_(world_.allocate<std::uint64_t>(ranks_)),
        sums_(world_.allocate<std::uint64_t>(Program::sums)),
        counter_(world_.allocate<std::uint64_t>()),
        lock_(world_.allocate<long>()),
        from_(world_.allocate<std::uint64_t>(ranks_ * Program::max_elements)),
        to_(world_.allocate<std::uint64_t>(ranks_ * Program::max_elements)),
        seen_(ranks_, std::vector<std::uint64_t>(Program::sums)) {}

  void run() {
    for (number_ = 0; number_ < program_.phases.size(); ++number_) {
      const Phase& phase = program_.phases[number_];
      for (const Action& action : phase.actions[me()]) perform(action);
      take_mail(phase);
      world_.barrier();
      machine_.note("has left the barrier");
      scramble_sources();
      check(phase);
      meet(phase);
      world_.barrier();
    }
  }

 private:
  std::uint32_t me() const { return static_cast<std::uint32_t>(world_.me()); }
  std::byte* area(std::uint32_t writer) { return areas_.data() + writer * Program::area_size; }
  std::byte* mail(std::uint32_t writer) { return mail_.data() + writer * Program::mail_size; }

  // A copy that is overwritten when the library must no longer read it.
  std::vector<std::byte>& source_of(const Action& action) {
    return sources_.emplace_back(action.bytes);
  }
  void scramble_sources() {
    for (auto& source : sources_) std::ranges::fill(source, overwritten);
    sources_.clear();
  }

  void expect(bool holds, const std::string& what) {
    if (!holds) machine_.fail(fmt::format("in phase {}: {}", number_, what));
  }
  void expect_bytes(const std::byte* found, std::span<const std::byte> expected,
                    const std::string& what) {
    const auto [difference, other] =
        std::ranges::mismatch(expected, std::span(found, expected.size()));
    if (difference == expected.end()) return;
    expect(false, fmt::format("{}: byte {} of {} is {:#x}, not {:#x}", what,
                              difference - expected.begin(), expected.size(),
                              std::to_integer<int>(*other), std::to_integer<int>(*difference)));
  }

  void perform(const Action& action) {
    machine_.step();
    switch (action.act) {
      case Act::compute:
        return machine_.sleep(action.value);
      case Act::fence:
        return shmem::fence(world_.as("fence"));
      case Act::quiet:
        shmem::quiet(world_.as("quiet"));
        return scramble_sources();
      case Act::get:
      case Act::get_nbi:
        return get(action);
      case Act::add:
      case Act::fetch_add:
        return add(action);
      case Act::count_locked:
        return count_locked();
      case Act::put_signal:
      case Act::put_flag:
        return send_mail(action);
      default:
        return put(action);
    }
  }

  void put(const Action& action) {
    const int pe = static_cast<int>(action.pe);
    std::byte* const target = area(me()) + action.offset;
    std::vector<std::byte>& source = source_of(action);
    const std::size_t words = source.size() / 8;
    if (action.act == Act::put_nbi)
      return shmem::put_nbi<8>(world_.as("put_nbi"), target, source.data(), words, pe);
    if (action.act == Act::put_strided) {
      shmem::iput<8>(world_.as("iput"), target, source.data(), 2, 1, words, pe);
    } else if (action.act == Act::put_word) {
      std::uint64_t value = 0;
      std::memcpy(&value, source.data(), sizeof(value));
      shmem::p(world_.as("p"), reinterpret_cast<std::uint64_t*>(target), value, pe);
    } else {
      shmem::put<8>(world_.as("put"), target, source.data(), words, pe);
    }
    std::ranges::fill(source, overwritten);
    sources_.pop_back();
  }

  void get(const Action& action) {
    const int pe = static_cast<int>(action.pe);
    std::vector<std::byte> found(action.bytes.size());
    const std::byte* const source = area(action.writer) + action.offset;
    if (action.act == Act::get_nbi) {
      shmem::get_nbi<8>(world_.as("get_nbi"), found.data(), source, found.size() / 8, pe);
      shmem::quiet(world_.as("quiet"));
      scramble_sources();
    } else {
      shmem::get<8>(world_.as("get"), found.data(), source, found.size() / 8, pe);
    }
    expect_bytes(found.data(), action.bytes,
                 fmt::format("a get from offset {} of the area of rank {} at PE {}", action.offset,
                             action.writer, pe));
  }

  // Each update by this rank adds to what an earlier one has seen.
  void add(const Action& action) {
    const int pe = static_cast<int>(action.pe);
    std::uint64_t* const sum = &sums_[action.offset];
    if (action.act == Act::add)
      return shmem::update<AtomicOp::add>(world_.as("atomic_add"), sum, action.value, pe);
    const std::uint64_t old =
        shmem::atomic<AtomicOp::add>(world_.as("atomic_fetch_add"), sum, action.value, pe);
    std::uint64_t& seen = seen_[action.pe][action.offset];
    const std::uint64_t most = program_.phases[number_].sums[action.pe][action.offset];
    expect(old >= seen && old + action.value <= most,
           fmt::format("a fetch_add at PE {} has found {}, after {}, of {}", pe, old, seen, most));
    seen = old + action.value;
  }

  void count_locked() {
    shmem::set_lock(world_.as("set_lock"), lock_.data());
    const std::uint64_t before = shmem::g(world_.as("g"), counter_.data(), 0);
    machine_.step();
    shmem::p(world_.as("p"), counter_.data(), before + 1, 0);
    shmem::quiet(world_.as("quiet"));
    scramble_sources();
    shmem::clear_lock(world_.as("clear_lock"), lock_.data());
  }

  void send_mail(const Action& action) {
    const int pe = static_cast<int>(action.pe);
    std::vector<std::byte>& source = source_of(action);
    const std::size_t words = source.size() / 8;
    std::uint64_t* const flag = &flags_[me()];
    if (action.act == Act::put_signal) {
      shmem::put_signal<8>(world_.as("put_signal"), mail(me()), source.data(), words, flag,
                           number_ + 1, SHMEM_SIGNAL_SET, pe);
    } else {
      shmem::put<8>(world_.as("put"), mail(me()), source.data(), words, pe);
      shmem::fence(world_.as("fence"));
      shmem::p(world_.as("p"), flag, std::uint64_t{number_} + 1, pe);
    }
    std::ranges::fill(source, overwritten);
    sources_.pop_back();
  }

  void take_mail(const Phase& phase) {
    for (std::uint32_t writer = 0; writer < ranks_; ++writer) {
      const std::vector<std::byte>& expected = phase.mail[me()][writer];
      if (expected.empty()) continue;
      shmem::signal_wait_until(world_.as("signal_wait_until"), &flags_[writer], SHMEM_CMP_EQ,
                               number_ + 1);
      expect_bytes(mail(writer), expected, fmt::format("mail from rank {}", writer));
    }
  }

  void check(const Phase& phase) {
    for (std::uint32_t writer = 0; writer < ranks_; ++writer)
      expect_bytes(area(writer), phase.areas[me()][writer],
                   fmt::format("the area of rank {} after the barrier", writer));
    for (std::size_t i = 0; i < Program::sums; ++i)
      expect(sums_[i] == phase.sums[me()][i], fmt::format("sum {} after the barrier is {}, not {}",
                                                          i, sums_[i], phase.sums[me()][i]));
    expect(me() != 0 || counter_[0] == phase.locked,
           fmt::format("{} counted under the lock, not {}", counter_[0], phase.locked));
  }

  // The value that `rank` contributes.
  std::uint64_t part(std::size_t rank, std::size_t index) const {
    return number_ * 1'000'000'000 + rank * 1'000'000 + index;
  }

  void meet(const Phase& phase) {
    const std::size_t count = phase.elements;
    for (std::size_t i = 0; i < ranks_ * count; ++i) from_[i] = part(me(), i);
    std::vector<std::uint64_t> expected;
    const int root = static_cast<int>(phase.root);
    switch (phase.together) {
      case Together::nothing:
        return;
      case Together::sync:
        return shmem::sync_all(world_.as("sync_all"));
      case Together::sum:
        shmem::reduce<CombineOp::sum>(world_.as("sum_reduce"), SHMEM_TEAM_WORLD, to_.data(),
                                      from_.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
          expected.push_back(0);
          for (std::uint32_t rank = 0; rank < ranks_; ++rank) expected.back() += part(rank, i);
        }
        break;
      case Together::fcollect:
        shmem::fcollect<8>(world_.as("fcollect"), SHMEM_TEAM_WORLD, to_.data(), from_.data(),
                           count);
        for (std::size_t i = 0; i < ranks_ * count; ++i)
          expected.push_back(part(i / count, i % count));
        break;
      case Together::broadcast:
        shmem::broadcast<8>(world_.as("broadcast"), SHMEM_TEAM_WORLD, to_.data(), from_.data(),
                            count, root);
        for (std::size_t i = 0; i < count; ++i) expected.push_back(part(phase.root, i));
        break;
      case Together::alltoall:
        shmem::alltoall<8>(world_.as("alltoall"), SHMEM_TEAM_WORLD, to_.data(), from_.data(),
                           count);
        for (std::size_t i = 0; i < ranks_ * count; ++i)
          expected.push_back(part(i / count, me() * count + i % count));
        break;
    }
    expect(std::equal(expected.begin(), expected.end(), to_.begin()),
           fmt::format("collective {} of {} elements has another result",
                       static_cast<int>(phase.together), count));
  }

  Machine& machine_;
  const Program& program_;
  World world_;
  std::size_t ranks_;
  std::size_t number_ = 0;  // of the phase
  std::span<std::byte> areas_;
  std::span<std::byte> mail_;
  std::span<std::uint64_t> flags_;
  std::span<std::uint64_t> sums_;
  std::span<std::uint64_t> counter_;
  std::span<long> lock_;
  std::span<std::uint64_t> from_;
  std::span<std::uint64_t> to_;
  std::deque<std::vector<std::byte>> sources_;    // in use until the next quiet
  std::vector<std::vector<std::uint64_t>> seen_;  // sums, by PE
};

}  // namespace

void run_rank(Machine& machine, const Program& program, Engine& engine) {
  RankProgram(machine, program, engine).run();
}

}  // namespace gondwana::simulation
