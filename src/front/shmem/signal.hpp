// OpenSHMEM 1.6, signaling: puts that notify their target of their arrival.
#pragma once

#include "front/shmem/atomics.hpp"
#include "front/shmem/rma.hpp"
#include "front/shmem/waiting.hpp"

namespace gondwana::shmem {

inline SignalOp signal_op(const Caller& caller, int op) {
  if (op == SHMEM_SIGNAL_SET) return SignalOp::set;
  if (op == SHMEM_SIGNAL_ADD) return SignalOp::add;
  give_up(caller.name,
          fmt::format("signal operation {}: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", op));
}

template <std::size_t Width>
// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
void put_signal(Caller caller, void* dest, const void* source, std::size_t count,
                std::uint64_t* word, std::uint64_t value, int op, int pe) {
  if (caller.examines()) [[unlikely]]
    if (!examine_put_signal(caller, {"dest", dest, Width, count}, {"source", source, Width, count},
                            word, pe))
      return;
  const Signal signal{word, value, signal_op(caller, op)};
  check(caller, caller.engine.rma().put_signal(caller.lane, caller.rank_of(pe), dest, source,
                                               bytes_of<Width>(count), signal));
}

// The signal must follow the data, so an early return would gain nothing.
template <std::size_t Width>
// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
void put_signal_nbi(Caller caller, void* dest, const void* source, std::size_t count,
                    std::uint64_t* word, std::uint64_t value, int op, int pe) {
  put_signal<Width>(caller, dest, source, count, word, value, op, pe);
}

template <AnyCaller C>
[[gnu::cold, gnu::noinline]] void signal_set_elsewhere(C caller, std::uint64_t* word,
                                                       std::uint64_t value, int pe) {
  if (caller.checks_enabled() && !examine_value(caller, {"sig_addr", word, sizeof(*word)}, pe))
    return;
  // A put to a device would be lost between the two copies of another update.
  const Caller resolved = caller;
  if (resolved.engine.kinds().is_near_device(word)) {
    atomic_elsewhere<AtomicOp::swap>(resolved, word, value, std::uint64_t{0}, pe);
    return;
  }
  p_elsewhere(caller, word, value, pe);
}

template <AnyCaller C>
[[gnu::always_inline]] inline void signal_set(C caller, std::uint64_t* word, std::uint64_t value,
                                              int pe) {
  if (!caller.shortcut().try_put(rank_of(pe), word, value)) [[unlikely]]
    signal_set_elsewhere(caller, word, value, pe);
}

template <AnyCaller C>
[[gnu::cold, gnu::noinline]] void signal_add_elsewhere(C caller, std::uint64_t* word,
                                                       std::uint64_t value, int pe) {
  if (caller.checks_enabled() && !examine_value(caller, {"sig_addr", word, sizeof(*word)}, pe))
    return;
  atomic_elsewhere<AtomicOp::add>(caller, word, value, std::uint64_t{0}, pe);
}

template <AnyCaller C>
[[gnu::always_inline]] inline void signal_add(C caller, std::uint64_t* word, std::uint64_t value,
                                              int pe) {
  std::uint64_t old = 0;
  if (!caller.shortcut().template try_atomic<AtomicOp::add>(rank_of(pe), word, value,
                                                            std::uint64_t{0}, old)) [[unlikely]]
    signal_add_elsewhere(caller, word, value, pe);
}

// One signal for all earlier puts of the context to that PE.
inline void signal_after(Caller caller, std::uint64_t* word, std::uint64_t value, int op, int pe) {
  if (caller.examines()) [[unlikely]]
    if (!examine_value(caller, {"sig_addr", word, sizeof(*word)}, pe)) return;
  const Signal signal{word, value, signal_op(caller, op)};
  check(caller, caller.engine.rma().signal_after(caller.lane, caller.rank_of(pe), signal));
}

// A program that fetches repeatedly may be waiting for another value, or for an answer to its puts.
inline std::uint64_t signal_fetch(Caller caller, const std::uint64_t* word) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_symmetric(caller, {"sig_addr", word, sizeof(*word)});
  check_for_end();
  caller.engine.waiter().make_progress();
  const std::uint64_t value = Cells<std::uint64_t>(caller, word).load();
  caller.engine.waiter().polls().fetched(word, value);
  return value;
}

// Returns the value that ended the wait. The word may have changed since then.
inline std::uint64_t signal_wait_until(Caller caller, std::uint64_t* word, int cmp,
                                       std::uint64_t value) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_symmetric(caller, {"sig_addr", word, sizeof(*word)});
  const Condition<std::uint64_t> condition = Comparison(caller, cmp).with(value);
  const Cells<std::uint64_t> cells(caller, word);
  std::uint64_t found = 0;
  const auto is_found = [&] {
    found = cells.load();
    return condition.holds(found);
  };
  wait_for_words([&] {
    caller.engine.waiter().on_word(caller.name, cells.watched(), is_found,
                                   [&] { return awaited(cmp, value); });
  });
  return found;
}

}  // namespace gondwana::shmem
