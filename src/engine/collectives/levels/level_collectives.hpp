// Collectives of teams on several nodes. Steps use shared memory within each node and messages
// between nodes (staged/levels.hpp). The caller waits for them.
//
// Parameters and guarantees are as in Collectives.
#pragma once

#include <optional>

#include "engine/collectives/staged/scratch_space.hpp"
#include "engine/collectives/staged/staged_collectives.hpp"

namespace gondwana {

class LevelCollectives {
 public:
  explicit LevelCollectives(const CollectiveResources& with) : with_(with), space_(with) {}

  // Whether a team can have levels: its members are on several nodes, all nodes are known, and this
  // rank shares memory with the members of its own node. All members get the same answer.
  bool suit(const Team& team) const;

  // Called before a team with this number is created: allocates the memory that its members share
  // and publishes its place. Returns an epoch that no word there has exceeded, or nothing if out of
  // memory.
  std::optional<Epoch> prepare(std::uint32_t number);
  // Memory for a team without a number, and its place once it has one. reserve() returns nothing if
  // out of memory.
  std::optional<StagedPlace> reserve() { return space_.take(); }
  void publish(std::uint32_t number, const StagedPlace& place) { own_place(number) = place; }
  void give_back(const StagedPlace& place) { space_.give_back(place); }
  // Called after all members have prepared. No member has exceeded the epoch of the team.
  void begin(Team& team);
  // The last collective of the team. Its memory may have another owner afterwards.
  void end(const Team& team, CallName call);
  // Releases the memory of a team that was prepared but not created, or that has ended.
  void give_back(std::uint32_t number);
  // The same, for a team that a death has ended.
  void retire(std::uint32_t number) { space_.retire(own_place(number)); }

  static void sync(Team& team, CallName call);
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest);
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  // Blocks must be contiguous.
  bool alltoall(Team& team, CallName call, void* dest, const void* source, std::size_t block);
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  // Each member gets the terms of all, so the arrays are small.
  bool scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
            ElementType type, Scan kind);
  // A reduction of arrays in any memory.
  void combine(Team& team, CallName call, void* dest, const void* source, std::size_t count,
               ElementType type);

 private:
  // A rank of this node.
  StagedPlace& place_here(Rank rank, std::uint32_t number) const;
  StagedPlace& own_place(std::uint32_t number) const { return place_here(with_.me, number); }
  static void move(Team& team, CallName call, const staged::Movement& what);
  template <staged::Step S>
  static void finish(const Team& team, CallName call, S step);

  const CollectiveResources& with_;
  ScratchSpace space_;
};

}  // namespace gondwana
