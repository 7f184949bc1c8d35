// Teams: splitting one off, and its end.
//
// A team's number names its sync lines and scratch on each member. Teams that share no member may
// have the same number, so what must be found is one that is free on all who take part: everybody
// offers its free numbers, all take the lowest that is offered by everybody. Where threads of one
// rank split different teams at once, two may take the same; then all concerned try again.
#include <fmt/format.h>

#include <bit>

#include "engine/collectives/levels/levels.hpp"
#include "engine/engine.hpp"

namespace gondwana {

std::unique_ptr<Team> Engine::first_team(std::uint32_t number, std::uint32_t first,
                                         std::uint32_t size) const {
  auto team = std::make_unique<Team>(Team{.number = number,
                                          .first = first,
                                          .stride = 1,
                                          .size = size,
                                          .me = index(rank_) - first,
                                          .epoch = first_epoch_});
  // The other set of words than in the last exchange of the engine before, which another node may
  // still be reading.
  const std::uint64_t last = legacy().exchanges.load(std::memory_order_relaxed);
  team->levels = levels_of(*team, first_epoch_ + last % 2);
  return team;
}

Result<Team*> Engine::split(Team& parent, CallName call, const std::optional<TeamShape>& mine) {
  Epoch epoch = 0;
  const Result<std::uint32_t> number = agree_on_number(parent, call, epoch);
  if (!number) return number.error();
  if (!mine) {
    free_numbers_.fetch_or(std::uint64_t{1} << *number);
    return static_cast<Team*>(nullptr);
  }
  Team team{.number = *number,
            .first = index(parent.rank_of(mine->start)),
            .stride = mine->stride * parent.stride,
            .size = mine->size,
            .me = 0,
            .epoch = epoch};
  team.me = team.member_of(rank_).value();
  team.levels = levels_of(team, epoch);
  teams_[*number] = std::make_unique<Team>(team);
  return teams_[*number].get();
}

// On success the number is taken on this rank, and `epoch` is one that no member has gone beyond in
// a team of that number.
Result<std::uint32_t> Engine::agree_on_number(Team& parent, CallName call, Epoch& epoch) {
  constexpr std::uint32_t attempts = 1000;
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    const std::uint64_t free = agree(parent, call, {free_numbers_.load(), 0}).numbers;
    if (free == 0) break;
    // Splits of different teams begin their search at different numbers, and so seldom meet.
    const int turn = static_cast<int>((parent.number * 5 + attempt) % ControlLayout::max_teams);
    const int found = std::countr_zero(std::rotr(free, turn));
    const std::uint32_t number =
        static_cast<std::uint32_t>(found + turn) % ControlLayout::max_teams;
    const std::uint64_t bit = std::uint64_t{1} << number;
    const bool taken = (free_numbers_.fetch_and(~bit) & bit) != 0;
    const Agreement all = agree(parent, call, {taken ? bit : 0, last_epoch_[number]});
    if (all.numbers != 0) {
      epoch = all.epoch;
      return number;
    }
    if (taken) free_numbers_.fetch_or(bit);
  }
  return Error{Errc::out_of_memory,
               fmt::format("no team can be made: a rank can be in {} teams at once, and no number "
                           "is free on all {} members of the parent; destroy teams that are no "
                           "longer used",
                           ControlLayout::max_teams, parent.size)};
}

Engine::Agreement Engine::agree(Team& team, CallName call, const Agreement& mine) {
  const Combine combine = [](void* out, const void* a, const void* b, std::size_t /*count*/) {
    *static_cast<Agreement*>(out) =
        combined(*static_cast<const Agreement*>(a), *static_cast<const Agreement*>(b));
  };
  constexpr std::size_t size = sizeof(Agreement);
  Agreement all{};
  if (in_reach(team))
    combine_first(team, call, team.size, &all, &mine, 1, {size, combine});
  else if (goes_in_levels(Collective::barrier, team))
    combine_in_levels(team, call, &all, &mine, 1, {size, combine});
  else
    return agree_over_wire(team, call, mine);
  return all;
}

void Engine::destroy(Team& team, CallName call) {
  sync(team, call);
  give_up_number(team);
}

void Engine::abandon_teams() {
  for (std::uint32_t number = shared_number + 1; number < teams_.size(); ++number)
    if (teams_[number] != nullptr) give_up_number(*teams_[number]);
}

// Nobody is inside a collective of it.
void Engine::give_up_number(const Team& team) {
  const std::uint32_t number = team.number;
  last_epoch_[number] = team.levels ? team.levels->node.epoch : team.epoch;
  teams_[number].reset();
  free_numbers_.fetch_or(std::uint64_t{1} << number);
}

}  // namespace gondwana
