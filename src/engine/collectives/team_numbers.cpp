// Teams that share no member may have the same number, so the members search for a number that is
// free on all of them. Each offers the first group of 64 numbers in which it has free ones. If all
// offer the same group, they take the lowest number that every member offers. Otherwise they
// continue from the last of these groups, because one member has no free number before it. If
// threads of one rank split different teams at once, two teams may take the same number. Then the
// members of both try again.
#include <fmt/format.h>

#include <bit>

#include "engine/collectives/team_numbers.hpp"

namespace gondwana {
namespace {

Error no_team_left(std::uint32_t members) {
  return {
      Errc::out_of_memory,
      fmt::format("cannot make a team: no number is free on all {} members of the parent, or one "
                  "of them has no memory left for another team; destroy teams that are no longer "
                  "used",
                  members)};
}

}  // namespace

Teams::FreeNumbers TeamNumbers::find_free(bool can_take, Agree agree) const {
  std::uint64_t word = 0;
  while (word < Teams::words) {
    const auto mine = can_take ? teams_.free_from(word) : Teams::FreeNumbers{Teams::words, 0};
    const Agreement all = agree(Agreement::offer(mine.bits, mine.word));
    const bool same = all.least == all.most;
    if (same && all.bits != 0) return {all.most, all.bits};
    word = all.most + (same ? 1 : 0);
  }
  return {Teams::words, 0};
}

Result<TeamNumbers::Number> TeamNumbers::agree_on_one(const Team& over, bool can_take,
                                                      std::uint32_t seed, Agree agree) {
  const bool in_levels = levels_.suit(over);
  constexpr std::uint32_t attempts = 1000;
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    const auto [word, free] = find_free(can_take, agree);
    if (free == 0) return no_team_left(over.size);
    // Sets that agree at the same time start their search at different numbers, and rarely collide.
    constexpr std::uint32_t width = Teams::numbers_of_word;
    const int turn = static_cast<int>((seed * 5 + attempt) % width);
    const int found = std::countr_zero(std::rotr(free, turn));
    const std::uint32_t lowest = static_cast<std::uint32_t>(found + turn) % width;
    const std::uint32_t number = static_cast<std::uint32_t>(word) * width + lowest;
    const auto [mine, could_prepare] = take(number, in_levels);
    can_take = could_prepare;
    const Agreement all = agree(Agreement::offer(mine ? 1 : 0, mine ? mine->epoch : 0));
    if (all.bits != 0) return Number{number, all.most, in_levels};
    if (mine) give_back(*mine);
  }
  return Error{Errc::out_of_memory,
               fmt::format("cannot make a team: in {} attempts, other threads of the members took "
                           "each number first; split fewer teams at once",
                           attempts)};
}

// Also takes the memory that a team on several nodes needs.
TeamNumbers::Taken TeamNumbers::take(std::uint32_t number, bool in_levels) {
  if (!teams_.take(number)) return {.number = std::nullopt, .has_memory = true};
  Number taken{number, teams_.last_epoch(number), in_levels};
  if (!in_levels) return {.number = taken, .has_memory = true};
  const std::optional<Epoch> epoch = levels_.prepare(number);
  if (!epoch) {
    teams_.give_back(number);
    return {.number = std::nullopt, .has_memory = false};
  }
  taken.epoch = std::max(taken.epoch, *epoch);
  return {.number = taken, .has_memory = true};
}

void TeamNumbers::give_back(const Number& number) {
  if (number.is_prepared) levels_.give_back(number.number);
  teams_.give_back(number.number);
}

Team& TeamNumbers::make(const Number& number, const Team& parent, const Members& chosen) {
  Team& team = teams_.make(number.number, parent, chosen, number.epoch);
  if (!number.is_prepared) return team;
  if (!levels_.suit(team)) {
    levels_.give_back(team.number);
    return team;
  }
  try {
    levels_.begin(team);
  } catch (const HopelessWait&) {
    // A member has died since. All members have the team, whose collectives fail.
  }
  return team;
}

}  // namespace gondwana
