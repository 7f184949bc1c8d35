// Collectives of teams whose members share memory. They use loads, stores and the epochs of sync
// lines.
//
// Parameters and guarantees are as in Collectives. `dest` and `source` are symmetric unless noted.
#pragma once

#include "engine/collectives/common/parts.hpp"
#include "engine/collectives/common/resources.hpp"

namespace gondwana {

class NodeCollectives {
 public:
  explicit NodeCollectives(const CollectiveResources& with) : with_(with) {}
  ~NodeCollectives();
  NodeCollectives(const NodeCollectives&) = delete;
  NodeCollectives& operator=(const NodeCollectives&) = delete;

  void sync(Team& team, CallName call);
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest);
  // Waits until all members have taken part in the last broadcast of this thread in an active set.
  // Each collective of a set begins with this, because programs alternate between two pSync arrays,
  // and two dests, without a barrier.
  void finish_last_broadcast(CallName call);
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool collect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool alltoall(Team& team, CallName call, void* dest, const void* source, const Exchange& shape);
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  bool scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
            ElementType type, Scan kind);

  // Combines the sources of the first `members` members. The arrays are small and in any memory.
  void combine_first(Team& team, CallName call, std::uint32_t members, void* dest,
                     const void* source, std::size_t count, ElementType type);
  void wait_for_member(const NodeSync& line, const Team& team, std::uint32_t member, Epoch epoch,
                       CallName call);

 private:
  struct Broadcast {
    void* dest;
    const void* source;
    std::size_t size;
    std::uint32_t root;
    RootDest root_dest;

    void copy_at_root() const;
  };

  template <typename Sync>
  void meet(Team& team, CallName call, Sync line);
  NodeSync line_of(const Team& team) const { return {NodeTeam(with_.memory, team), team.me}; }
  // The copy of a symmetric object at a member.
  std::byte* place_of(Rank rank, const void* object) const {
    return with_.rma.reach().find(rank, object, FixedSize<1>{}).data();
  }
  void leave_broadcast(const Team& team, NodeSync line, Epoch epoch);
  void broadcast_small(Team& team, CallName call, const Broadcast& what);
  void broadcast_large(Team& team, CallName call, const Broadcast& what);
  void take_broadcast(Team& team, CallName call, const Broadcast& what);
  bool put_to_all(const Team& team, void* dest, const void* source, std::size_t size);
  bool put_block(Rank to, void* dest, const void* source, const Exchange& shape);
  void reduce_parts(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                    ElementType type);
  void scan_small(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                  ElementType type, Scan kind);
  void scan_parts(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                  ElementType type, Scan kind);

  const CollectiveResources& with_;
};

}  // namespace gondwana
