// Makes a team of the living members of another one. See sync/team_shrink.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/collectives/collectives.hpp"
#include "engine/collectives/conducted_shrink.hpp"
#include "engine/collectives/offered_memory.hpp"
#include "sync/team_shrink.hpp"

namespace gondwana {
namespace {

// The members of a team. Members on other nodes have no place and no doorbell in the memory of this
// node.
class NodeMortals {
 public:
  NodeMortals(const NodeMemory& memory, const DeathList& deaths, const Team& team)
      : memory_(&memory), deaths_(&deaths), team_(&team) {}

  std::uint32_t size() const { return team_->size; }
  ShrinkPlace<RealAtomics>& place(std::uint32_t member) const {
    return memory_->shrink(team_->number, team_->rank_of(member));
  }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    return memory_->page(team_->rank_of(member)).sync_bell;
  }
  std::uint32_t deaths() const { return deaths_->size(); }
  std::uint32_t death_of(std::uint32_t member) const {
    return deaths_->first_death(team_->rank_of(member), team_->made_at);
  }

 private:
  const NodeMemory* memory_;
  const DeathList* deaths_;
  const Team* team_;
};

using NodeShrink = TeamShrink<RealAtomics, NodeMortals>;
using HostsShrink = ConductedShrink<RealAtomics, NodeMortals>;

template <typename Shrink>
Members living_of(const Shrink& shrink, std::uint32_t size) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t member = 0; member < size; ++member)
    if (shrink.lives(member)) living.push_back(member);
  return Members::of(living);
}

Error no_number() {
  return {Errc::out_of_memory,
          fmt::format("cannot make a team: none of the first {} numbers is free on all members "
                      "that live, or one of them has no memory left for another team; destroy "
                      "teams that are no longer used",
                      Teams::numbers_of_word)};
}

}  // namespace

// Returns once the members that live have agreed on them.
Collectives::Agreed Collectives::agree_on_living(Team& team, CallName call,
                                                 const NumberOffer& offer) {
  const auto wait = [&](auto shrink) -> Agreed {
    shrink.enter(offer);
    with_.waiter.until({.call = call}, [&] { return shrink.decide(); });
    return {living_of(shrink, team.size), shrink.deaths(), shrink.offered()};
  };
  const NodeMortals members(with_.memory, with_.waiter.losses().list(), team);
  const std::uint64_t turn = ++team.shrinks;
  if (is_within(with_.rma.reach(), team)) return wait(NodeShrink(members, team.me, turn));
  const ShrinkEntry entry{.team = team.number,
                          .first = index(team.rank_of(0)),
                          .turn = turn,
                          .size = team.size,
                          .rank = index(with_.me)};
  return wait(HostsShrink(members, team.me, entry, with_.enter_shrink));
}

Result<Team*> Collectives::shrink(Team& parent, CallName call) {
  if (with_.waiter.losses().list().first_death(with_.me, parent.made_at) != 0)
    return Error{Errc::refused,
                 "cannot shrink a team in which this process has taken the place of a dead member"};
  const bool is_here = is_within(with_.rma.reach(), parent);
  if (!is_here && !with_.waiter.losses().job_goes_on())
    return Error{Errc::missing,
                 "cannot shrink a team with members on several nodes, unless the job was started "
                 "by gondwana run --on-death=continue"};
  forget_losses();
  const bool in_levels = levels_.suit(parent);
  NumberOffer mine = take_offered_numbers(teams_);
  if (in_levels) mine = with_memory(with_, levels_, teams_, mine);
  const Agreed agreed = agree_on_living(parent, call, mine);
  with_.waiter.losses().acknowledge(agreed.deaths);
  const std::uint64_t chosen = lowest_of(agreed.all.numbers);
  if (chosen == 0 && in_levels && mine.numbers != 0)
    levels_.give_back(number_of(lowest_of(mine.numbers)));
  give_offered_back(teams_, mine.numbers & ~chosen);
  if (chosen == 0) return no_number();
  Team& living =
      numbers_.make({number_of(chosen), agreed.all.epoch, in_levels}, parent, agreed.living);
  living.made_at = agreed.deaths;
  if (&parent == &heap_team()) heap_team_ = &living;
  return &living;
}

// Completes what a collective has left that a death has ended.
void Collectives::forget_losses() {
  with_.rma.quiet(with_.lane);
  if (with_.remote != nullptr) with_.remote->depart("team_shrink");
  static_cast<void>(with_.lane.take_error());
}

void Collectives::meet_living(CallName call) {
  const Losses& losses = with_.waiter.losses();
  // The others do not wait for a process that has taken the place of a dead one.
  if (!losses.job_goes_on() || losses.list().first_death(with_.me, teams_.world().made_at) != 0)
    return;
  forget_losses();
  agree_on_living(teams_.world(), call, {0, 0});
}

}  // namespace gondwana
