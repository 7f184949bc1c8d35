// Collectives in two levels: common memory within a node, messages between one member of each node.
//
// For teams that have levels. Shapes and promises are those of Collectives.
#pragma once

#include "engine/collectives/levels/words.hpp"
#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {

class LevelCollectives {
 public:
  explicit LevelCollectives(const CollectiveResources& with) : with_(with), node_(with) {}

  void sync(Team& team, CallName call);
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root, RootDest root_dest);
  bool fcollect(Team& team, CallName call, void* dest, const void* source, std::size_t size);
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);
  // Small arrays. Up to NodeWords::most_bytes they may lie in any memory.
  bool combine(Team& team, CallName call, void* dest, const void* source, std::size_t count,
               ElementType type);

 private:
  bool are_symmetric(const char* what, const void* dest, std::size_t dest_size, const void* source,
                     std::size_t source_size) const {
    return with_.rma.are_symmetric(with_.lane, what, dest, dest_size, source, source_size);
  }
  bool arrive_at_node(NodeSync& line, const Team& node, Epoch epoch);
  void wait_for_node(const NodeSync& line, const Team& node, Epoch epoch, CallName call);
  void begin_exchange(const Levels& levels, CallName call, std::uint32_t half, std::size_t count,
                      ElementType type);
  void combine_node(const Team& node, std::uint32_t half, void* result, std::size_t count,
                    ElementType type) const;
  bool exchange(NodeExchange& among, void* dest, MutableBytes result, ElementType type,
                FunctionRef<void()> complete_own);

  const CollectiveResources& with_;
  NodeCollectives node_;
};

}  // namespace gondwana
