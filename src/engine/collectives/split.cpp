// Splitting a team, and its end.
//
// Teams that share no member may have the same number, so the members look for one that is free on
// all of them: each offers its free numbers, and all take the lowest that everybody offers. Where
// threads of one rank split different teams at once, two may take the same; then all concerned try
// again.
#include <fmt/format.h>

#include <bit>

#include "engine/collectives/collectives.hpp"

namespace gondwana {

Result<Team*> Collectives::split(Team& parent, CallName call,
                                 const std::optional<TeamShape>& mine) {
  Epoch epoch = 0;
  const Result<std::uint32_t> number = agree_on_number(parent, call, epoch);
  if (!number) return number.error();
  if (mine) return &teams_.make(*number, parent, *mine, epoch);
  teams_.give_back(*number);
  return static_cast<Team*>(nullptr);
}

// On success the number is taken on this rank, and `epoch` is one that no member has gone beyond in
// a team of that number.
Result<std::uint32_t> Collectives::agree_on_number(Team& parent, CallName call, Epoch& epoch) {
  constexpr std::uint32_t attempts = 1000;
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    const std::uint64_t free = agree(parent, call, {teams_.free_numbers(), 0}).numbers;
    if (free == 0) break;
    // Splits of different teams begin their search at different numbers, and so seldom meet.
    const int turn = static_cast<int>((parent.number * 5 + attempt) % ControlLayout::max_teams);
    const int found = std::countr_zero(std::rotr(free, turn));
    const std::uint32_t number =
        static_cast<std::uint32_t>(found + turn) % ControlLayout::max_teams;
    const bool taken = teams_.take(number);
    const std::uint64_t offer = taken ? std::uint64_t{1} << number : 0;
    const Agreement all = agree(parent, call, {offer, teams_.last_epoch(number)});
    if (all.numbers != 0) {
      epoch = all.epoch;
      return number;
    }
    if (taken) teams_.give_back(number);
  }
  return Error{Errc::out_of_memory,
               fmt::format("no team can be made: a rank can be in {} teams at once, and no number "
                           "is free on all {} members of the parent; destroy teams that are no "
                           "longer used",
                           ControlLayout::max_teams, parent.size)};
}

Collectives::Agreement Collectives::agree(Team& team, CallName call, const Agreement& mine) {
  const Combine combine = [](void* out, const void* a, const void* b, std::size_t /*count*/) {
    *static_cast<Agreement*>(out) =
        combined(*static_cast<const Agreement*>(a), *static_cast<const Agreement*>(b));
  };
  constexpr std::size_t size = sizeof(Agreement);
  Agreement all{};
  if (is_within(with_.rma.reach(), team))
    node_.combine_first(team, call, team.size, &all, &mine, 1, {size, combine});
  else if (goes_in_levels(Collective::barrier, team))
    levels_.combine(team, call, &all, &mine, 1, {size, combine});
  else
    return agree_by_notes(team, call, mine);
  return all;
}

Collectives::Agreement Collectives::agree_by_notes(Team& team, CallName call,
                                                   const Agreement& mine) {
  Group group = group_of(team, call, Collective::barrier);
  group.write_note(0, mine.numbers);
  group.write_note(1, mine.epoch);
  group.barrier();
  Agreement all = mine;
  for (std::uint32_t member = 0; member < team.size; ++member)
    all = combined(all, {group.note_of(member, 0), group.note_of(member, 1)});
  group.barrier();
  group.write_note(0, 0);
  group.write_note(1, 0);
  return all;
}

void Collectives::destroy(Team& team, CallName call) {
  sync(team, call);
  teams_.end(team);
}

}  // namespace gondwana
