// Collectives of teams, for all doors.
//
// Every member of the team calls them, in the same order, from one thread at a time for each team.
// `dest` and `source` are symmetric, and every dest may be written as soon as the first member
// calls. On return the caller's source is free again and its dest complete; other members may still
// be inside. False where one failed, with the error in the default lane.
//
// Three kinds of algorithms: node/ for members with common memory, reference/ by flags and gets,
// levels/ for members on several nodes.
#pragma once

#include <optional>
#include <string>

#include "engine/collectives/levels/level_collectives.hpp"
#include "engine/collectives/node/node_collectives.hpp"
#include "engine/collectives/reference/group.hpp"
#include "engine/collectives/set_teams.hpp"
#include "engine/teams/teams.hpp"

namespace gondwana {

class Collectives {
 public:
  Collectives(const CollectiveResources& with, Teams& teams)
      : with_(with), teams_(teams), node_(with_), levels_(with_) {}
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  const CollectiveResources& resources() const { return with_; }

  // The team of all ranks works without levels at first. False where no memory is left for them.
  bool prepare_world();
  // Once all ranks have done so.
  void begin_world();

  void sync(Team& team, CallName call);
  bool barrier(Team& team, CallName call);
  // `source` of member `root` to `dest` of every member, or of every other one.
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest = RootDest::written);
  // The sources of all members, in their order, into every dest: of `size` bytes each, or each of a
  // size of its own.
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool collect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  // Block i of `source` becomes block `me` of the dest of member i.
  bool alltoall(Team& team, CallName call, void* dest, const void* source, const Exchange& shape);
  // Combines the `source` arrays of all members in the order of their ranks, into every `dest`.
  // They may be the same array.
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  // The same, of the members up to this one, or before it: then member 0 gets zeros.
  bool scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
            ElementType type, Scan kind);

  // Before all else of a call that is checked: compares what the members say that they are about to
  // do. Nothing where all say the same, otherwise on all the message that names two ranks and their
  // calls.
  std::optional<std::string> compare_calls(Team& team, CallName call, const std::string& mine);

  // Over `parent`. Each member names the new team that it will be in, or none; the teams share no
  // member. Null where it is in none; an error, on all alike, where no number is left.
  Result<Team*> split(Team& parent, CallName call, const std::optional<TeamShape>& mine);
  // Over `team`, which is gone afterwards. Not for the two that are always there.
  void destroy(Team& team, CallName call);

  // A set of ranks that is no team, with flags of its own at `flags_offset` of all arenas.
  Group group(const Team& members, std::size_t flags_offset, CallName call) const {
    return {with_, members, flags_offset, call};
  }
  // The team that is kept for a set with flags of its own, or the set itself: collectives work on
  // either. The first time over the members of the set, like a collective.
  Team& team_of_set(Team& set, CallName call) {
    Team* team = sets_.find(set, [&] { return make_team(set, call); });
    return team != nullptr ? *team : set;
  }
  // After a barrier of the world, by all ranks: all teams but the two first are gone. For a door
  // that ends while another one keeps the engine.
  void end_all_teams(CallName call);

 private:
  // What all members of a team must find together before one of them can be split.
  struct Agreement {
    std::uint64_t numbers;  // those of teams, as bits: combined by and
    Epoch epoch;            // combined by max
  };

  // Small blocks of many members go together.
  bool exchanges_in_levels(const Team& team, const Exchange& shape) const;
  Algorithm algorithm_of(Collective collective) const { return with_.algorithms.of(collective); }
  // Whether a collective is done by puts, gets and flags: where members have no common memory,
  // where the user names an algorithm, and in a set that has no team.
  bool uses_reference(Collective collective, const Team& team) const {
    return team.own_flags != 0 || !is_within(with_.rma.reach(), team) ||
           is_flat(algorithm_of(collective));
  }
  // Of those, whether in two levels.
  bool goes_in_levels(Collective collective, const Team& team) const {
    return team.levels != nullptr && !is_flat(algorithm_of(collective));
  }
  Group group_of(Team& team, CallName call, Collective collective) const;
  static Agreement combined(const Agreement& a, const Agreement& b) {
    return {a.numbers & b.numbers, std::max(a.epoch, b.epoch)};
  }
  Agreement agree(Team& team, CallName call, const Agreement& mine);
  static Agreement agree_by_notes(Group& group, const Agreement& mine);
  // A number that is taken on this rank, and an epoch that no member has gone beyond in a team of
  // that number.
  struct Number {
    std::uint32_t number;
    Epoch epoch;
    bool is_prepared;  // a team of that number may have levels
  };
  // `agree`: with all that take part. `seed`: the same on all of them.
  // `over`: all that take part; the team will be of some of them.
  std::optional<Number> agree_on_number(Teams::Kind kind, const Team& over, std::uint32_t seed,
                                        FunctionRef<Agreement(const Agreement&)> agree);
  std::optional<Number> take(std::uint32_t number, bool in_levels);
  void give_back(const Number& number);
  Team& make(const Number& number, const Team& parent, const TeamShape& shape);
  void begin_levels(Team& team);
  Team* make_team(const Team& set, CallName call);
  void write_note(std::uint32_t team, const std::string& text);
  std::string note_of(Rank rank, std::uint32_t team);

  CollectiveResources with_;
  Teams& teams_;
  NodeCollectives node_;
  LevelCollectives levels_;
  SetTeams sets_;
};

}  // namespace gondwana
