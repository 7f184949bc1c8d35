// What the protocols that sleep and synchronise are written against.
//
// Doorbell and TeamSync are templates over an AtomicsPolicy. RealAtomics runs them on the machine;
// tests/support/model runs them under a weak memory model, every interleaving of a small case.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace gondwana {

using Timeout = std::optional<std::chrono::microseconds>;  // nothing: wait for ever

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
  // The same with 64 bits: counts as far as anybody will ever count.
  { count.load(order) } -> std::same_as<std::uint64_t>;
  { count.store(seen, order) };
  { count.compare_exchange_strong(seen, seen, order, order) } -> std::same_as<bool>;
  // Keeps the compiler, not the processor, from reordering: what a writer pays.
  { A::light_fence() };
  // Every thread of the job passes a full fence before this returns: what a sleeper pays.
  // False where the system refuses; then no sleep may be untimed.
  { A::heavy_fence() } -> std::same_as<bool>;
  // Sleeps while `word` holds `value`; returns early as it likes.
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

// Every process must call this before it writes where another may sleep: membarrier reaches only
// the processes that registered. False where the system refuses.
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
