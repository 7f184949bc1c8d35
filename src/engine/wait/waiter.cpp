#include "engine/wait/waiter.hpp"

#include <utility>

#include "core/machine.hpp"
#include "engine/wait/long_wait.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

TraceEvent event_of(const WaitReason& why) {
  const void* place = why.place != nullptr ? why.place : why.word;
  return {.kind = EventKind::wait,
          .name = Tracer::number_of(why.call),
          .peer = why.peer != Waiting::any_rank ? why.peer : TraceEvent::nobody,
          .place = reinterpret_cast<std::uintptr_t>(place),
          .bytes = why.team};
}

}  // namespace

Waiter::Waiter(const NodeMemory& memory, const SymmetricRanges& symmetric, Rank me,
               Workers& workers, Messages& messages, NetworkProgress* network,
               PeerCheck check_peers)
    : memory_(&memory),
      symmetric_(symmetric),
      me_(me),
      workers_(workers),
      messages_(messages),
      network_(network),
      check_peers_(std::move(check_peers)) {}

// The word is in the arena of this rank, or in globals that are mapped to the arena.
Watch Waiter::watch_on(const void* word) const {
  const std::size_t distance = reinterpret_cast<std::uintptr_t>(word) -
                               reinterpret_cast<std::uintptr_t>(memory_->window(me_));
  if (distance < memory_->plan().arena_size()) return Watch::at(distance);
  const std::size_t offset = symmetric_.offset_of(word, 1);
  return offset != SymmetricRanges::nowhere ? Watch::at(offset) : Watch();
}

// Returns true if something arrived within `limit`.
bool Waiter::sleep_on_network(std::chrono::microseconds limit) {
  const std::uint64_t since = monotonic_ns();
  network_->sleep(limit);
  return std::chrono::nanoseconds(monotonic_ns() - since) < limit;
}

void Waiter::wait_longer(const WaitReason& why, FunctionRef<bool()> done, const Awaited& awaited) {
  const TracedScope traced([&why] { return event_of(why); });
  const WaitPolicy& policy = workers_.mine().wait_policy;
  if (!why.on_network && spin(why, done, policy.untraced_spins(), policy.spins())) return;
  ThreadSlot& slot = *workers_.mine().thread_slot;
  slot.counters.add(Count::waits);
  const ShownWait shown(slot.waiting, why, awaited);
  LongWait wait(*this, why);
  while (!done()) wait.step();
  wait.end();
}

Draft Waiter::wait_and_open(CallName call, Rank to, MessageClass message_class, Payload payload) {
  std::optional<Draft> draft;
  const bool is_remote = !memory_->roster().is_here(to);
  until({.call = call, .peer = index(to), .on_network = is_remote}, [&] {
    draft = messages_.try_open(to, message_class, payload);
    return draft.has_value();
  });
  return *draft;
}

}  // namespace gondwana
