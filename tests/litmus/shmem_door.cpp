// OpenSHMEM's operations for litmus tests, and the program that runs them.
#include <shmem.h>

#include <array>
#include <cstdint>

#include "litmus/operations.hpp"
#include "litmus/program.hpp"

namespace gondwana::litmus {
namespace {

class ShmemDoor final : public Door {
 public:
  ShmemDoor() {
    shmem_init();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), nullptr, 0, &team_);
    contexts_['a'] = create(0);
    contexts_['b'] = create(0);
    contexts_['s'] = create(SHMEM_CTX_SERIALIZED);
    contexts_['p'] = create(SHMEM_CTX_PRIVATE);
    contexts_['n'] = create(SHMEM_CTX_NOSTORE);
    shmem_team_create_ctx(team_, 0, &contexts_['t']);
  }
  ~ShmemDoor() override { shmem_finalize(); }

  const char* name() const override { return "shmem"; }
  int me() const override { return shmem_my_pe(); }
  int size() const override { return shmem_n_pes(); }
  long* allocate(std::size_t words) override {
    return static_cast<long*>(shmem_calloc(words, sizeof(long)));
  }
  long* pointer_to(const long* own, int pe) override {
    return static_cast<long*>(shmem_ptr(own, pe));
  }
  void barrier() override { shmem_barrier_all(); }
  bool knows(Act act) const override {
    return act != Act::accumulate && act != Act::notify && act != Act::notify_wait &&
           act < Act::am_short;
  }

  void perform(const Call& call) override {
    shmem_ctx_t context = SHMEM_CTX_DEFAULT;
    if (call.context != 0) context = contexts_.at(static_cast<unsigned char>(call.context));
    switch (call.act) {
      case Act::wait:
        return shmem_long_wait_until(call.target, SHMEM_CMP_EQ, call.value);
      case Act::wait_any:
        *call.result = static_cast<long>(
            shmem_long_wait_until_any(call.target, call.words, nullptr, SHMEM_CMP_EQ, call.value));
        return;
      case Act::wait_all:
        return shmem_long_wait_until_all(call.target, call.words, nullptr, SHMEM_CMP_EQ,
                                         call.value);
      case Act::lock:
        return shmem_set_lock(call.target);
      case Act::unlock:
        return shmem_clear_lock(call.target);
      case Act::fence:
        return shmem_ctx_fence(context);
      case Act::quiet:
        return shmem_ctx_quiet(context);
      default:
        break;
    }
    if (is_collective(call.act)) return collect(call);
    if (form_of(call.act).takes_arrays) return transfer(call, context);
    update(call, context);
  }

 private:
  static shmem_ctx_t create(long options) {
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    shmem_ctx_create(options, &context);
    return context;
  }
  static std::uint64_t* signal(long* word) { return reinterpret_cast<std::uint64_t*>(word); }

  void collect(const Call& call) {
    shmem_team_t team = call.context == 't' ? team_ : SHMEM_TEAM_WORLD;
    if (call.act == Act::barrier) return shmem_barrier_all();
    if (call.act == Act::sync) {
      shmem_team_sync(team);
    } else if (call.act == Act::broadcast) {
      shmem_long_broadcast(team, call.target, call.source, call.words, call.pe);
    } else {
      shmem_long_sum_reduce(team, call.target, call.source, call.words);
    }
  }

  static void transfer(const Call& call, shmem_ctx_t context) {
    const auto value = static_cast<std::uint64_t>(call.signal_value);
    switch (call.act) {
      case Act::put:
        return shmem_ctx_long_put(context, call.target, call.source, call.words, call.pe);
      case Act::put_nbi:
        return shmem_ctx_long_put_nbi(context, call.target, call.source, call.words, call.pe);
      case Act::get:
        return shmem_ctx_long_get(context, call.result, call.target, call.words, call.pe);
      case Act::get_nbi:
        return shmem_ctx_long_get_nbi(context, call.result, call.target, call.words, call.pe);
      case Act::put_signal:
        return shmem_ctx_long_put_signal(context, call.target, call.source, call.words,
                                         signal(call.signal), value, SHMEM_SIGNAL_SET, call.pe);
      case Act::put_signal_nbi:
        return shmem_ctx_long_put_signal_nbi(context, call.target, call.source, call.words,
                                             signal(call.signal), value, SHMEM_SIGNAL_ADD, call.pe);
      default:
        return transfer_halves(call, context);
    }
  }

  // The even words in one strided transfer, the odd ones in another.
  static void transfer_halves(const Call& call, shmem_ctx_t context) {
    for (std::size_t first = 0; first < 2 && first < call.words; ++first) {
      const std::size_t count = (call.words - first + 1) / 2;
      if (call.act == Act::iput)
        shmem_ctx_long_iput(context, call.target + first, call.source + first, 2, 2, count,
                            call.pe);
      else
        shmem_ctx_long_iget(context, call.result + first, call.target + first, 2, 2, count,
                            call.pe);
    }
  }

  static void update(const Call& call, shmem_ctx_t context) {
    long* const word = call.target;
    switch (call.act) {
      case Act::p:
        return shmem_ctx_long_p(context, word, call.value, call.pe);
      case Act::g:
        *call.result = shmem_ctx_long_g(context, word, call.pe);
        return;
      case Act::set:
        return shmem_ctx_long_atomic_set(context, word, call.value, call.pe);
      case Act::fetch:
        *call.result = shmem_ctx_long_atomic_fetch(context, word, call.pe);
        return;
      case Act::fetch_nbi:
        return shmem_ctx_long_atomic_fetch_nbi(context, call.result, word, call.pe);
      case Act::add:
        return shmem_ctx_long_atomic_add(context, word, call.value, call.pe);
      case Act::fetch_add:
        *call.result = shmem_ctx_long_atomic_fetch_add(context, word, call.value, call.pe);
        return;
      case Act::swap:
        *call.result = shmem_ctx_long_atomic_swap(context, word, call.value, call.pe);
        return;
      case Act::compare_swap:
        *call.result =
            shmem_ctx_long_atomic_compare_swap(context, word, call.value, call.other, call.pe);
        return;
      case Act::signal_set:
        return shmem_ctx_signal_set(context, signal(word), static_cast<std::uint64_t>(call.value),
                                    call.pe);
      case Act::signal_add:
        return shmem_ctx_signal_add(context, signal(word), static_cast<std::uint64_t>(call.value),
                                    call.pe);
      case Act::signal_fetch:
        *call.result = static_cast<long>(shmem_signal_fetch(signal(word)));
        return;
      case Act::signal_wait:
        shmem_signal_wait_until(signal(word), SHMEM_CMP_EQ, static_cast<std::uint64_t>(call.value));
        return;
      default:
        break;
    }
  }

  shmem_team_t team_ = SHMEM_TEAM_INVALID;
  std::array<shmem_ctx_t, 128> contexts_{};
};

}  // namespace
}  // namespace gondwana::litmus

int main(int argc, char** argv) {
  gondwana::litmus::ShmemDoor door;
  return gondwana::litmus::run_program(door, argc, argv);
}
