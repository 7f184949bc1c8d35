// Makes a team of the living members of another one. See sync/team_shrink.hpp.
#include <fmt/format.h>

#include <bit>
#include <vector>

#include "engine/collectives/collectives.hpp"
#include "sync/team_shrink.hpp"

namespace gondwana {
namespace {

// The members of a team on a node, as TeamShrink sees them.
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
    return deaths_->place_of(team_->rank_of(member));
  }

 private:
  const NodeMemory* memory_;
  const DeathList* deaths_;
  const Team* team_;
};

using NodeShrink = TeamShrink<RealAtomics, NodeMortals>;

// Takes all free numbers of the first group. The members keep one of them.
NodeShrink::Offer take_numbers(Teams& teams) {
  const Teams::FreeNumbers free = teams.free_from(0);
  NodeShrink::Offer offer{0, 0};
  if (free.word != 0) return offer;
  for (std::uint64_t bits = free.bits; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(bits));
    if (!teams.take(number)) continue;
    offer.numbers |= std::uint64_t{1} << number;
    offer.epoch = std::max(offer.epoch, teams.last_epoch(number));
  }
  return offer;
}

void give_back(Teams& teams, std::uint64_t numbers) {
  for (; numbers != 0; numbers &= numbers - 1)
    teams.give_back(static_cast<std::uint32_t>(std::countr_zero(numbers)));
}

Members living_of(const NodeShrink& shrink, std::uint32_t size) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t member = 0; member < size; ++member)
    if (shrink.lives(member)) living.push_back(member);
  return Members::of(living);
}

}  // namespace

Result<Team*> Collectives::shrink(Team& parent, CallName call) {
  if (!is_within(with_.rma.reach(), parent))
    return Error{Errc::missing, "cannot shrink a team with members on several nodes"};
  Losses& losses = with_.waiter.losses();
  NodeShrink shrink(NodeMortals(with_.memory, losses.list(), parent), parent.me, ++parent.shrinks);
  const NodeShrink::Offer mine = take_numbers(teams_);
  shrink.enter(mine);
  with_.waiter.until({.call = call}, [&] { return shrink.decide(); });
  losses.acknowledge(shrink.deaths());
  const NodeShrink::Offer all = shrink.offered();
  const std::uint64_t chosen = all.numbers & -all.numbers;  // the lowest
  give_back(teams_, mine.numbers & ~chosen);
  if (chosen == 0)
    return Error{Errc::out_of_memory,
                 fmt::format("cannot make a team: none of the first {} numbers is free on all "
                             "members that live; destroy teams that are no longer used",
                             Teams::numbers_of_word)};
  const auto number = static_cast<std::uint32_t>(std::countr_zero(chosen));
  return &teams_.make(number, parent, living_of(shrink, parent.size), all.epoch);
}

}  // namespace gondwana
