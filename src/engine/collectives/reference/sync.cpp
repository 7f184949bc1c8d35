// Barriers of a group.
#include "engine/collectives/reference/algorithms.hpp"
#include "engine/collectives/reference/tree.hpp"

namespace gondwana::reference {
namespace {

void sync_by_one(Group& group) {
  if (group.me() == 0) {
    group.take_from_others(Group::arrived);
    group.raise_on_others(Group::released);
  } else {
    group.raise(0, Group::arrived);
    group.take(Group::released, 0);
  }
}

void sync_by_tree(Group& group) {
  const BinomialTree tree(group, 0);
  for (std::uint32_t k = 0; k < tree.children(); ++k) group.take(Group::ready(k), tree.child(k));
  if (!tree.is_root()) {
    group.raise(tree.parent(), Group::ready(tree.position()));
    group.take(Group::released, tree.parent());
  }
  for (std::uint32_t k = tree.children(); k-- > 0;) group.raise(tree.child(k), Group::released);
}

}  // namespace

void sync(Group& group, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::linear:
      return sync_by_one(group);
    case Algorithm::tree:
      return sync_by_tree(group);
    default:
      return group.barrier();
  }
}

}  // namespace gondwana::reference
