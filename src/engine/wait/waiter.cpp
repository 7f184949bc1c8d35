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
      check_peers_(std::move(check_peers)),
      losses_(memory) {}

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
  while (!done()) step(wait, why, done);
  wait.end();
}

// The sleeps of this wait are shown, but not the wait itself: a rank that will go on by itself is
// not still.
bool Waiter::within(std::chrono::nanoseconds limit, const WaitReason& why,
                    FunctionRef<bool()> done) {
  if (done()) return true;
  const TracedScope traced([&why] { return event_of(why); });
  workers_.mine().thread_slot->counters.add(Count::waits);
  const std::uint64_t since = monotonic_ns();
  LongWait wait(*this, why);
  while (!done()) {
    if (monotonic_ns() - since >= static_cast<std::uint64_t>(limit.count())) return false;
    step(wait, why, done);
  }
  wait.end();
  return true;
}

void Waiter::step(LongWait& wait, const WaitReason& why, FunctionRef<bool()> done) const {
  wait.step();
  const std::uint32_t deaths = losses_.list().size();
  if (deaths != 0 && is_hopeless(why, deaths) && !done()) throw HopelessWait{deaths};
}

bool Waiter::is_hopeless(const WaitReason& why, std::uint32_t deaths) const {
  const bool needs_peer = why.peer != Waiting::any_rank && !why.ends_with_node;
  if (needs_peer && losses_.has_lost(Rank(why.peer))) return true;
  if (why.team != Waiting::no_team) return losses_.team_has_dead(why.team);
  return why.on_program_memory && losses_.is_unknown(deaths);
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
