// Broadcasts in a group: a member that has the data raises a flag, and its receivers fetch.
#include "engine/collectives/reference/algorithms.hpp"
#include "engine/collectives/reference/tree.hpp"

namespace gondwana::reference {
namespace {

void broadcast_from_one(Group& group, void* dest, const void* source, std::size_t size,
                        std::uint32_t root) {
  if (group.me() == root) {
    group.raise_on_others(Group::ready());
  } else {
    group.take(Group::ready(), root);
    group.get(root, dest, source, size);
  }
}

// The largest subtree goes first: it takes longest.
void broadcast_down_tree(Group& group, void* dest, const void* source, std::size_t size,
                         std::uint32_t root) {
  const BinomialTree tree(group, root);
  if (!tree.is_root()) {
    group.take(Group::ready(), tree.parent());
    group.get(tree.parent(), dest, tree.parent() == root ? source : dest, size);
  }
  for (std::uint32_t k = tree.children(); k-- > 0;) group.raise(tree.child(k), Group::ready());
}

}  // namespace

bool broadcast(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size,
               std::uint32_t root) {
  if (algorithm == Algorithm::linear)
    broadcast_from_one(group, dest, source, size, root);
  else
    broadcast_down_tree(group, dest, source, size, root);
  group.barrier();
  return group.well();
}

}  // namespace gondwana::reference
