#include "front/gasnet/barrier.hpp"

#include "front/gasnet/errors.hpp"
#include "gasnet/events.h"
#include "gasnet/progress.h"
#include "gasnet/system.h"
#include "gasnet_coll.h"

namespace gondwana::gasnet {

bool BarrierEvent::is_complete() {
  return barrier_.advance();
}

void BarrierEvent::wait(CallName call) {
  Door& door = *team_->door;
  door.progress().poll_for_all();  // if all members have entered, nothing below polls
  const auto done = [&] { return barrier_.all_entered(); };
  while (!done()) {
    // Operations must progress meanwhile. Their peers ring the other doorbell.
    if (door.progress().has_operations())
      door.progress().wait(call, done);
    else
      door.engine().waiter().on_words(call,
                                      [&] { return done() || door.progress().has_operations(); });
  }
  barrier_.wake_sleepers();
}

bool BarrierName::is_named() const {
  return (flags & (GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_UNNAMED)) == 0;
}

BarrierOutcome BarrierOutcome::of(BarrierName name) {
  return {.mismatch = (name.flags & GASNET_BARRIERFLAG_MISMATCH) != 0,
          .is_named = name.is_named(),
          .id = name.is_named() ? name.id : 0};
}

namespace {

// The function of a staged::Operator.
void join(const void* first, void* second_and_out, std::size_t count, const void* /*data*/) {
  const auto* one = static_cast<const BarrierOutcome*>(first);
  auto* two = static_cast<BarrierOutcome*>(second_and_out);
  for (; count > 0; --count, ++one, ++two) {
    two->mismatch |= one->mismatch || (one->is_named && two->is_named && one->id != two->id);
    if (!two->is_named) two->id = one->id;
    two->is_named |= one->is_named;
  }
}

}  // namespace

void SplitBarrier::notify(Team& team, CallName call, BarrierName name, bool goes_away) {
  if (step_) give_up(call, "called twice, without a wait or try that succeeded in between");
  if (goes_away) team.door->progress().poll_for_all();
  StagedCollectives& collectives = collectives_of(team, call);
  mine_ = BarrierOutcome::of(name);
  const staged::Reduction what{
      .flow = {},
      .operation = {sizeof(mine_), &join, nullptr, staged::Operator::Order::any},
      .count = 1,
      .source = reinterpret_cast<const std::byte*>(&mine_),
      .dest = reinterpret_cast<std::byte*>(&all_)};
  if (collectives.has_levels()) {
    step_.emplace(collectives.reduce(
        call, what, [&](auto step) { return begin(*team.door, std::move(step)); }));
    return;
  }
  Round round(collectives.members(), staged::SmallReduction(what));
  // Waits only if many collectives of this team are in flight.
  if (!round.may_begin()) team.door->progress().wait(call, [&] { return round.may_begin(); });
  step_.emplace(round);
  if (advance()) return;
  if (!goes_away) return;
  staged::Round::settle();
  advance();
}

bool SplitBarrier::advance() {
  if (auto* round = std::get_if<Round>(&*step_)) return round->advance();
  auto& event = std::get<gex_Event_t>(*step_);
  if (event != GEX_EVENT_INVALID && gex_Event_Test(event) != GASNET_OK) return false;
  event = GEX_EVENT_INVALID;
  return true;
}

// Polls after the last member has entered, because clients rely on this: messages that are in the
// inbox by then are handled before the barrier returns.
int SplitBarrier::wait(Team& team, CallName call, BarrierName name) {
  if (!step_) give_up(call, "called without a notify before it");
  if (!advance()) team.door->progress().wait(call, [&] { return advance(); });
  team.door->progress().poll_for_all();
  if (team.collectives->has_levels()) team.door->engine().remote().depart(call);
  return leave(name);
}

int SplitBarrier::try_once(CallName call, BarrierName name) {
  if (!step_) give_up(call, "called without a notify before it");
  gasnet_AMPoll();
  if (!advance() || !door().engine().has_told()) return GASNET_ERR_NOT_READY;
  door().progress().note_poll(true);
  return leave(name);
}

// An id that is passed to wait must match the id of the barrier, if the barrier has one.
int SplitBarrier::leave(BarrierName name) {
  step_.reset();
  const bool fits = !name.is_named() || !all_.is_named || all_.id == name.id;
  if (all_.mismatch || !fits || (name.flags & GASNET_BARRIERFLAG_MISMATCH) != 0)
    return GASNET_ERR_BARRIER_MISMATCH;
  last_id_ = all_.is_named ? std::optional(all_.id) : std::nullopt;
  return GASNET_OK;
}

int SplitBarrier::result(CallName call, int* id) const {
  if (step_) give_up(call, "called between notify and wait");
  if (last_id_) *id = *last_id_;
  return last_id_ ? 0 : 1;
}

namespace {

Team& world() {
  return Team::of(door().teams().world());
}

SplitBarrier& barrier_of(Team& team, CallName call) {
  collectives_of(team, call);
  if (team.split_barrier == nullptr) team.split_barrier = std::make_shared<SplitBarrier>();
  return *team.split_barrier;
}

int meet_by_name(Team& team, CallName call, BarrierName name) {
  SplitBarrier& barrier = barrier_of(team, call);
  barrier.notify(team, call, name, false);
  return barrier.wait(team, call, name);
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t /*flags*/) {
  Team& team = Team::of(tm);
  auto& collectives = collectives_of(team, "gex_Coll_BarrierNB");
  if (collectives.has_levels()) {
    const gex_Event_t event =
        collectives.enter([&](auto step) { return begin(*team.door, std::move(step)); });
    team.door->progress().poll_for_all();  // as below
    return event;
  }
  BarrierEvent barrier(team, collectives.members());
  // If all members arrive at about the same time, no event is needed.
  constexpr std::uint32_t polls = 32;
  bool is_complete = false;
  for (std::uint32_t i = 0; i < polls && !is_complete; ++i) is_complete = barrier.is_complete();
  team.door->progress()
      .poll_for_all();  // a rank that always arrives last would otherwise run no handlers
  return is_complete ? GEX_EVENT_INVALID : new gondwana_gex_event{barrier};
}

void gasnet_barrier_notify(int id, int flags) {
  constexpr auto call = "gasnet_barrier_notify";
  barrier_of(world(), call).notify(world(), call, {id, flags}, true);
}

int gasnet_barrier_wait(int id, int flags) {
  constexpr auto call = "gasnet_barrier_wait";
  return barrier_of(world(), call).wait(world(), call, {id, flags});
}

int gasnet_barrier_try(int id, int flags) {
  constexpr auto call = "gasnet_barrier_try";
  return barrier_of(world(), call).try_once(call, {id, flags});
}

int gasnet_barrier(int id, int flags) {
  return meet_by_name(world(), "gasnet_barrier", {id, flags});
}

int gasnet_barrier_result(int* id) {
  constexpr auto call = "gasnet_barrier_result";
  return barrier_of(world(), call).result(call, id);
}

void gasnet_coll_barrier_notify(gasnet_team_handle_t handle, int id, int flags) {
  constexpr auto call = "gasnet_coll_barrier_notify";
  Team& team = Team::of(handle);
  barrier_of(team, call).notify(team, call, {id, flags}, true);
}

int gasnet_coll_barrier_wait(gasnet_team_handle_t handle, int id, int flags) {
  constexpr auto call = "gasnet_coll_barrier_wait";
  Team& team = Team::of(handle);
  return barrier_of(team, call).wait(team, call, {id, flags});
}

int gasnet_coll_barrier_try(gasnet_team_handle_t handle, int id, int flags) {
  constexpr auto call = "gasnet_coll_barrier_try";
  return barrier_of(Team::of(handle), call).try_once(call, {id, flags});
}

int gasnet_coll_barrier(gasnet_team_handle_t handle, int id, int flags) {
  return meet_by_name(Team::of(handle), "gasnet_coll_barrier", {id, flags});
}

int gasnet_coll_barrier_result(gasnet_team_handle_t handle, int* id) {
  constexpr auto call = "gasnet_coll_barrier_result";
  return barrier_of(Team::of(handle), call).result(call, id);
}
