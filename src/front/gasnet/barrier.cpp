#include "front/gasnet/barrier.hpp"

#include "front/gasnet/trouble.hpp"
#include "gasnet/progress.h"
#include "gasnet/system.h"
#include "gasnet_coll.h"

namespace gondwana::gasnet {

bool BarrierEvent::is_complete() {
  return barrier_.advance() && team_->door->staged().has_told();
}

void BarrierEvent::wait(CallName call) {
  Door& door = *team_->door;
  const auto done = [&] { return barrier_.all_entered(); };
  while (!done()) {
    // Operations must go on meanwhile, and who shows something for them rings the other bell.
    if (door.has_operations())
      door.wait(call, done);
    else
      door.engine().waiter().on_words(call, [&] { return done() || door.has_operations(); });
  }
  barrier_.wake_sleepers();
  if (!team_->staged->reaches_all()) door.engine().remote().depart(call);
}

bool BarrierName::is_named() const {
  return (flags & (GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_UNNAMED)) == 0;
}

void Naming::lay(const staged::Round& round) const {
  std::memcpy(round.slot(round.me()).payload.data(), &mine_, sizeof(mine_));
}

void Naming::take(const staged::Round& round) {
  for (std::uint32_t member = 0; member < round.size(); ++member) {
    BarrierName name{};
    std::memcpy(&name, round.slot(member).payload.data(), sizeof(name));
    if ((name.flags & GASNET_BARRIERFLAG_MISMATCH) != 0) outcome_.mismatch = true;
    if (!name.is_named()) continue;
    if (outcome_.id && *outcome_.id != name.id) outcome_.mismatch = true;
    outcome_.id = name.id;
  }
}

void SplitBarrier::notify(Team& team, CallName call, BarrierName name, bool goes_away) {
  if (round_) give_up(call, "called twice, without a wait or try that succeeded in between");
  round_.emplace(staged_of(team, call), Naming(name));
  // Shows at once, unless many collectives of this team are still under way.
  if (!round_->may_begin()) team.door->wait(call, [&] { return round_->may_begin(); });
  if (round_->advance()) return;
  if (!goes_away) return;
  staged::Round::settle();
  round_->advance();
}

int SplitBarrier::wait(Team& team, CallName call, BarrierName name) {
  if (!round_) give_up(call, "called without a notify before it");
  if (!round_->advance()) team.door->wait(call, [&] { return round_->advance(); });
  if (!team.staged->reaches_all()) team.door->engine().remote().depart(call);
  return leave(name);
}

int SplitBarrier::try_once(CallName call, BarrierName name) {
  if (!round_) give_up(call, "called without a notify before it");
  gasnet_AMPoll();
  if (!round_->advance() || !door().engine().has_told()) return GASNET_ERR_NOT_READY;
  door().note_poll(true);
  return leave(name);
}

// An id in wait must be that of the barrier, if it has one.
int SplitBarrier::leave(BarrierName name) {
  const BarrierOutcome outcome = round_->content().outcome();
  round_.reset();
  const bool fits = !name.is_named() || !outcome.id || *outcome.id == name.id;
  if (outcome.mismatch || !fits || (name.flags & GASNET_BARRIERFLAG_MISMATCH) != 0)
    return GASNET_ERR_BARRIER_MISMATCH;
  last_id_ = outcome.id;
  return GASNET_OK;
}

int SplitBarrier::result(CallName call, int* id) const {
  if (round_) give_up(call, "called between notify and wait");
  if (last_id_) *id = *last_id_;
  return last_id_ ? 0 : 1;
}

namespace {

Team& world() {
  return Team::of(door().world());
}

SplitBarrier& barrier_of(Team& team, CallName call) {
  staged_of(team, call);
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
  auto& members = staged_of(team, "gex_Coll_BarrierNB");
  team.door->attend();  // or who always comes last would run no handlers
  BarrierEvent barrier(team, members);
  // Where all come at about the same time they need no event.
  constexpr std::uint32_t looks = 32;
  for (std::uint32_t i = 0; i < looks; ++i)
    if (barrier.is_complete()) return GEX_EVENT_INVALID;
  return new gondwana_gex_event{barrier};
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
