// Splits and ends teams.
#include "engine/collectives/collectives.hpp"

namespace gondwana {
namespace {

// Leaves the flags as they were.
Agreement agree_by_notes(Group& group, const Agreement& mine) {
  group.write_note(0, mine.bits);
  group.write_note(1, mine.most);
  group.barrier();
  Agreement all = mine;
  for (std::uint32_t member = 0; member < group.size(); ++member)
    all = Agreement::combined(all,
                              Agreement::offer(group.note_of(member, 0), group.note_of(member, 1)));
  group.barrier();
  group.write_note(0, 0);
  group.write_note(1, 0);
  return all;
}

}  // namespace

Result<Team*> Collectives::split(Team& parent, CallName call, const std::optional<Members>& mine) {
  const Result<TeamNumbers::Number> found =
      numbers_.agree_on_one(parent, true, parent.number,
                            [&](const Agreement& offer) { return agree(parent, call, offer); });
  if (!found) return found.error();
  if (mine) return &numbers_.make(*found, parent, *mine);
  numbers_.give_back(*found);
  return static_cast<Team*>(nullptr);
}

Team* Collectives::make_team(const Team& set, CallName call) {
  const auto agree_by_flags = [&](const Agreement& offer) {
    Group members = group(set, set.own_flags, call);
    return agree_by_notes(members, offer);
  };
  const Result<TeamNumbers::Number> found =
      numbers_.agree_on_one(set, sets_.may_have_more_teams(), set.first, agree_by_flags);
  if (!found) return nullptr;
  Team& team = numbers_.make(*found, teams_.world(), set);
  team.serves_set = true;
  return &team;
}

bool Collectives::prepare_world() {
  const Team& world = teams_.world();
  return !levels_.suit(world) || levels_.prepare(world.number).has_value();
}

void Collectives::begin_world() {
  if (levels_.suit(teams_.world())) levels_.begin(teams_.world());
}

Agreement Collectives::agree(Team& team, CallName call, const Agreement& mine) {
  const Combine combine = [](void* out, const void* a, const void* b, std::size_t /*count*/) {
    *static_cast<Agreement*>(out) =
        Agreement::combined(*static_cast<const Agreement*>(a), *static_cast<const Agreement*>(b));
  };
  const ElementType type{sizeof(Agreement), combine};
  Agreement all{};
  if (is_within(with_.rma.reach(), team)) {
    node_.combine_first(team, call, team.size, &all, &mine, 1, type);
    return all;
  }
  if (goes_in_levels(with_, Collective::barrier, team)) {
    levels_.combine(team, call, &all, &mine, 1, type);
    return all;
  }
  Group group = group_of(team, call, Collective::barrier);
  return agree_by_notes(group, mine);
}

// A team with a dead member ends at once.
void Collectives::end(Team& team, CallName call) {
  if (&team == heap_team_) heap_team_ = nullptr;
  const bool has_lost = has_dead(with_.waiter.losses().list(), team);
  if (has_lost && !is_within(with_.rma.reach(), team)) return end_at_once(team);
  if (team.levels != nullptr) levels_.end(team, call);
  teams_.end(team);
}

// Messages of a collective that was abandoned may still arrive in the memory of the team. If that
// belongs to its number, the number is not used again.
void Collectives::end_at_once(const Team& team) {
  if (!levels_.suit(team)) return teams_.retire(team);
  levels_.retire(team.number);
  teams_.end(team);
}

void Collectives::destroy(Team& team, CallName call) {
  if (team.levels == nullptr && !has_dead(with_.waiter.losses().list(), team)) sync(team, call);
  end(team, call);
}

// Ends the teams in the order of their numbers, which is the same on all members.
void Collectives::end_all_teams(CallName call) {
  teams_.for_each_other([&](Team& team) { end(team, call); });
  sets_.forget();
}

}  // namespace gondwana
