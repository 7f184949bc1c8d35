// Collectives of teams, for all doors: a call for each.
//
// Every member of the team makes the same calls in the same order. For each team, one thread calls
// at a time. `dest` and `source` are symmetric. Every dest may be written as soon as the first
// member calls. On return the caller's source is free and its dest is complete; other members may
// still be inside. A call returns false if it failed; the default lane then holds the error.
//
// There are three kinds of algorithms: node/ for members that share memory, reference/ with flags
// and gets, levels/ for members on several nodes. Arrays in registered buffers, which may be device
// memory, have their own (buffer_collectives.hpp). Then the array must be in a registered buffer on
// all members.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/collectives/buffer_collectives.hpp"
#include "engine/collectives/choice.hpp"
#include "engine/collectives/levels/level_collectives.hpp"
#include "engine/collectives/node/node_collectives.hpp"
#include "engine/collectives/reference/group.hpp"
#include "engine/collectives/set_teams.hpp"
#include "engine/collectives/team_numbers.hpp"
#include "engine/teams/teams.hpp"
#include "sync/number_offer.hpp"

namespace gondwana {

// Whether this rank can be part of a world of other ranks.
enum class Growing : std::uint8_t { possible, impossible };

class Collectives {
 public:
  // The memory that this rank reserves for teams of a world on several nodes.
  struct WorldMemory {
    std::optional<StagedPlace> of_world = {};
    bool has_further = false;  // for a further team, at each number that the rank offers
  };
  // A world on which ranks have agreed.
  struct World {
    Members members;
    std::uint32_t size;     // the numbers of ranks so far
    std::uint64_t numbers;  // of a further team, as a bit
    Epoch epoch;
    std::uint32_t made_at;  // see Team
    WorldMemory memory;
  };

  Collectives(const CollectiveResources& with, Teams& teams)
      : with_(with),
        teams_(teams),
        node_(with_),
        levels_(with_),
        buffers_(*this),
        numbers_(teams_, levels_) {}
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  const CollectiveResources& resources() const { return with_; }

  // The world team has no levels at first. Returns false if no memory is left for its levels.
  bool prepare_world();
  // Called after all ranks have called prepare_world().
  void begin_world();

  void sync(Team& team, CallName call);
  // For a world on one node that has just begun: whatever the algorithm, it needs no flags, which
  // other ranks may not have cleared yet.
  void sync_new_world(CallName call) { node_.sync(teams_.world(), call); }
  bool barrier(Team& team, CallName call);
  // Copies `source` of member `root` to `dest` of every other member, and of the root if `written`.
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest = RootDest::written);
  // Concatenates the sources of all members, in their order, in every dest. With fcollect() each
  // source has `size` bytes; with collect() sizes may differ.
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool collect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  // The source may be any host memory.
  bool collect_from_anywhere(Team& team, CallName call, void* dest, const void* source,
                             std::size_t size);
  // Block i of `source` becomes block `me` of the dest of member i.
  bool alltoall(Team& team, CallName call, void* dest, const void* source, const Exchange& shape);
  // Combines the `source` arrays of all members, in the order of the team, into every `dest`.
  // `dest` may be `source`.
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  // The same as reduce(), over the members up to this one, or those before it. Member 0 then gets
  // zeros.
  bool scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
            ElementType type, Scan kind);

  // Returns the numbers that all members pass, in their order.
  std::vector<std::uint64_t> exchange(Team& team, CallName call, std::uint64_t mine);

  // The first step of a checked call: compares what the members are about to do. Returns nothing if
  // all do the same. Otherwise it returns, on all members, a message that names two ranks and their
  // calls.
  std::optional<std::string> compare_calls(Team& team, CallName call, const std::string& mine);

  // Collective over `parent`. Each member passes the members of the new team that it joins, as
  // numbers in the parent, or none. The new teams share no member. Returns null if this rank joins
  // none. Returns an error on all members if no number is free.
  Result<Team*> split(Team& parent, CallName call, const std::optional<Members>& mine);
  // Collective over the members of `parent` that live. Returns a team of them, in their order. All
  // get the same team or the same error, also if more die meanwhile.
  Result<Team*> shrink(Team& parent, CallName call);
  // All ranks, or the last team of those that live that was made from them. The symmetric heap
  // changes by calls of its members.
  Team& heap_team() { return heap_team_ != nullptr ? *heap_team_ : teams_.world(); }
  // The last meeting in a job that continues after deaths: returns once all ranks that live have
  // called it. Does nothing in other jobs.
  void meet_living(CallName call);
  // Collective over all ranks of the job that live. Agrees on a world of them, also if more die or
  // join meanwhile. An error on all of them if no team number is free, or if a rank passes
  // `impossible`.
  Result<World> agree_on_world(CallName call, Growing growing);
  // Makes that world the members of the world and the shared team, and returns a further team.
  Team& begin_world_of(const World& world, CallName call);
  // Collective over `team`, which it deletes. The world and shared teams cannot be destroyed.
  void destroy(Team& team, CallName call);

  // A set of ranks that is not a team. Its flags are at `flags_offset` of all arenas.
  Group group(const Team& members, std::size_t flags_offset, CallName call) const {
    return {with_, members, flags_offset, call};
  }
  // Returns the team that is kept for a set with flags of its own, or the set itself. Collectives
  // work on either. The first call for a set is a collective over its members. Every collective of
  // a set begins with this call.
  Team& team_of_set(Team& set, CallName call) {
    node_.finish_last_broadcast(call);
    Team* team = sets_.find(set, [&] { return make_team(set, call); });
    return team != nullptr ? *team : set;
  }
  // Ends all teams except world and shared. All ranks call it after a world barrier, when a door
  // closes while another one keeps the engine.
  void end_all_teams(CallName call);

 private:
  struct Agreed {
    Members living;
    std::uint32_t deaths;  // that the members know of
    NumberOffer all;       // of the members that live
  };

  Agreed agree_on_living(Team& team, CallName call, const NumberOffer& offer);
  void forget_losses();
  void end(Team& team, CallName call);
  void end_at_once(const Team& team);
  Group group_of(Team& team, CallName call, Collective collective) const;
  Agreement agree(Team& team, CallName call, const Agreement& mine);
  Team* make_team(const Team& set, CallName call);
  NumberOffer with_world_memory(NumberOffer offer, WorldMemory& memory);
  void give_back(const WorldMemory& memory, const NumberOffer& offer);
  void clear_flags();
  void leave_world();
  void begin_levels_of_world(const StagedPlace& place, Team& further, CallName call);

  CollectiveResources with_;
  Teams& teams_;
  NodeCollectives node_;
  LevelCollectives levels_;
  BufferCollectives buffers_;
  SetTeams sets_;
  TeamNumbers numbers_;
  Team* heap_team_ = nullptr;  // null: the world
};

}  // namespace gondwana
