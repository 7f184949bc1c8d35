// The interface that the sleep and synchronisation protocols use.
//
// Doorbell and TeamSync are templates over an AtomicsPolicy. RealAtomics runs them on the machine.
// tests/support/model runs them under a weak memory model, in every interleaving of a small case.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace gondwana {

using Timeout = std::optional<std::chrono::microseconds>;  // nothing: no timeout

// clang-format off
template <typename A>
concept AtomicsPolicy = requires(typename A::Word& word, std::uint32_t value,
                                 typename A::Counter& count, std::uint64_t& seen,
                                 std::memory_order order, Timeout timeout) {
  // A 32-bit cell that may lie in memory shared by processes; zero-initialised is valid.
  { word.load(order) } -> std::same_as<std::uint32_t>;
  { word.store(value, order) };
  { word.fetch_add(value, order) } -> std::same_as<std::uint32_t>;
  { word.compare_exchange_strong(value, value, order, order) } -> std::same_as<bool>;
  // A counter of 64 bits, which never overflows in practice.
  { count.load(order) } -> std::same_as<std::uint64_t>;
  { count.store(seen, order) };
  { count.compare_exchange_strong(seen, seen, order, order) } -> std::same_as<bool>;
  // Prevents reordering by the compiler, not by the processor. The writer pays only for this.
  { A::light_fence() };
  // Makes every thread of the job pass a full fence before it returns. The sleeper pays for it.
  // False if the system refuses; then every sleep must be timed.
  { A::heavy_fence() } -> std::same_as<bool>;
  // Sleeps while `word` holds `value`; may return early.
  { A::futex_wait(word, value, timeout) };
  { A::futex_wake_all(word) };
};
// clang-format on

struct RealAtomics {
  using Word = std::atomic<std::uint32_t>;
  using Counter = std::atomic<std::uint64_t>;

  static void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }
  static bool heavy_fence();
  static void futex_wait(Word& word, std::uint32_t value, Timeout timeout);
  static void futex_wake_all(Word& word);
};

static_assert(AtomicsPolicy<RealAtomics>);
static_assert(RealAtomics::Word::is_always_lock_free && RealAtomics::Counter::is_always_lock_free);

// Every process must call this before it writes to memory that another waits for: membarrier
// reaches only registered processes. False if the system refuses.
bool register_for_heavy_fence();

// Tells the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace gondwana
