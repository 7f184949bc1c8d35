// Collectives of teams whose members are on several nodes: steps over common memory within each
// node and over messages between them (staged/levels.hpp), for which the caller waits.
//
// Shapes and promises are those of Collectives.
#pragma once

#include <optional>

#include "engine/collectives/staged/scratch_space.hpp"
#include "engine/collectives/staged/staged_collectives.hpp"

namespace gondwana {

class LevelCollectives {
 public:
  explicit LevelCollectives(const CollectiveResources& with) : with_(with), space_(with) {}

  // Whether they are for this team: members are on several nodes, all of them known, and this rank
  // shares memory with those of its own. All members find the same.
  bool suit(const Team& team) const;

  // Before a team of this number is made: takes memory for what its members show each other, and
  // shows where. An epoch that nothing there has gone beyond; nothing where no memory is left.
  std::optional<Epoch> prepare(std::uint32_t number);
  // Once all members have prepared. None has gone beyond the epoch of the team.
  void begin(Team& team);
  // The last of the team's collectives. The memory may have another owner then.
  void end(const Team& team, CallName call);
  // What was prepared for a team that does not begin, or has ended.
  void give_back(std::uint32_t number);

  void sync(Team& team, CallName call);
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest);
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  // For blocks that follow one another.
  bool alltoall(Team& team, CallName call, void* dest, const void* source, std::size_t block);
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  // The same of arrays in any memory.
  void combine(Team& team, CallName call, void* dest, const void* source, std::size_t count,
               ElementType type);

 private:
  bool are_symmetric(const char* what, const void* dest, std::size_t dest_size, const void* source,
                     std::size_t source_size) const {
    return with_.rma.are_symmetric(with_.lane, what, dest, dest_size, source, source_size);
  }
  StagedPlace& own_place(std::uint32_t number) const;
  StagedPlace place_of(Rank rank, std::uint32_t number) const;
  void move(Team& team, CallName call, const staged::Movement& what) const;
  template <staged::Step S>
  void finish(const Team& team, CallName call, S step) const;

  const CollectiveResources& with_;
  ScratchSpace space_;
};

}  // namespace gondwana
