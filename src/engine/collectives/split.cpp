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
  const std::optional<Number> found =
      agree_on_number(Teams::Kind::program, parent.number,
                      [&](const Agreement& offer) { return agree(parent, call, offer); });
  if (!found)
    return Error{
        Errc::out_of_memory,
        fmt::format("no team can be made: a rank can be in {} teams at once, and no number "
                    "is free on all {} members of the parent; destroy teams that are no "
                    "longer used",
                    max_teams, parent.size)};
  if (mine) return &teams_.make(found->number, parent, *mine, found->epoch);
  teams_.give_back(found->number);
  return static_cast<Team*>(nullptr);
}

// The flags are as they were when this returns.
Team* Collectives::make_team(const Team& set, CallName call) {
  const auto agree_by_flags = [&](const Agreement& offer) {
    Group members = group(set, set.own_flags, call);
    return agree_by_notes(members, offer);
  };
  const std::optional<Number> found = agree_on_number(Teams::Kind::set, set.first, agree_by_flags);
  if (!found) return nullptr;
  const TeamShape shape{set.first, set.stride, set.size};
  return &teams_.make(found->number, teams_.world(), shape, found->epoch);
}

std::optional<Collectives::Number> Collectives::agree_on_number(
    Teams::Kind kind, std::uint32_t seed, FunctionRef<Agreement(const Agreement&)> agree) {
  constexpr std::uint32_t attempts = 1000;
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    const std::uint64_t free = agree({teams_.free_numbers(kind), 0}).numbers;
    if (free == 0) break;
    // Sets that agree at the same time begin their search at different numbers, and so seldom meet.
    const int turn = static_cast<int>((seed * 5 + attempt) % max_teams);
    const int found = std::countr_zero(std::rotr(free, turn));
    const std::uint32_t lowest = static_cast<std::uint32_t>(found + turn) % max_teams;
    const std::uint32_t number = Teams::first_number(kind) + lowest;
    const bool taken = teams_.take(number);
    const std::uint64_t offer = taken ? std::uint64_t{1} << lowest : 0;
    const Agreement all = agree({offer, teams_.last_epoch(number)});
    if (all.numbers != 0) return Number{number, all.epoch};
    if (taken) teams_.give_back(number);
  }
  return std::nullopt;
}

Collectives::Agreement Collectives::agree(Team& team, CallName call, const Agreement& mine) {
  const Combine combine = [](void* out, const void* a, const void* b, std::size_t /*count*/) {
    *static_cast<Agreement*>(out) =
        combined(*static_cast<const Agreement*>(a), *static_cast<const Agreement*>(b));
  };
  const ElementType type{sizeof(Agreement), combine};
  Agreement all{};
  if (is_within(with_.rma.reach(), team)) {
    node_.combine_first(team, call, team.size, &all, &mine, 1, type);
    return all;
  }
  if (goes_in_levels(Collective::barrier, team)) {
    levels_.combine(team, call, &all, &mine, 1, type);
    return all;
  }
  Group group = group_of(team, call, Collective::barrier);
  return agree_by_notes(group, mine);
}

Collectives::Agreement Collectives::agree_by_notes(Group& group, const Agreement& mine) {
  group.write_note(0, mine.numbers);
  group.write_note(1, mine.epoch);
  group.barrier();
  Agreement all = mine;
  for (std::uint32_t member = 0; member < group.size(); ++member)
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
