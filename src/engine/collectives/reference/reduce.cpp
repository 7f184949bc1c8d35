// Reductions in a group. All members combine contributions in the same way, in member order, so
// they get the same bits. Only the ring starts at another member.
#include "engine/collectives/reference/algorithms.hpp"
#include "engine/collectives/reference/doubling.hpp"
#include "engine/collectives/reference/pieces.hpp"
#include "engine/collectives/reference/tree.hpp"

namespace gondwana::reference {
namespace {

// One member fetches and combines all contributions. The others fetch the result.
void reduce_at_one(const Piece& piece) {
  Group& group = piece.group();
  if (group.me() != 0) {
    group.raise(0, Group::arrived);
    group.take(Group::released, 0);
    return piece.fetch_result(0);
  }
  piece.start_with_own_terms();
  group.take_from_others(Group::arrived);
  for (std::uint32_t member = 1; member < group.size(); ++member) {
    piece.fetch_to_scratch(member, piece.source());
    piece.append_scratch();
  }
  group.raise_on_others(Group::released);
}

// Combines up the tree, then passes the result down.
void reduce_by_tree(const Piece& piece) {
  Group& group = piece.group();
  const BinomialTree tree(group, 0);
  piece.start_with_own_terms();
  for (std::uint32_t k = 0; k < tree.children(); ++k) {
    group.take(Group::ready(k), tree.child(k));
    piece.fetch_to_scratch(tree.child(k), piece.dest());
    piece.append_scratch();
  }
  if (!tree.is_root()) {
    group.raise(tree.parent(), Group::ready(tree.position()));
    group.take(Group::released, tree.parent());
    piece.fetch_result(tree.parent());
  }
  for (std::uint32_t k = tree.children(); k-- > 0;) group.raise(tree.child(k), Group::released);
}

// The first turn combines: each chunk moves from member to member and grows. The second turn
// distributes the results. A member overwrites its value of a chunk a whole turn after its neighbor
// fetched it.
void reduce_by_ring(const Piece& piece) {
  Group& group = piece.group();
  const std::uint32_t size = group.size();
  const auto chunk = [&](std::uint32_t number) {
    const std::size_t count = piece.count();
    return piece.part(count * number / size, count * (number + 1) / size);
  };
  piece.start_with_own_terms();
  for (std::uint32_t step = 0; step < 2 * (size - 1); ++step) {
    group.raise(group.right(), Group::ready());
    group.take(Group::ready(), group.left());
    if (step < size - 1) {
      const Piece grows = chunk(group.left(step + 1));
      grows.fetch_to_scratch(group.left(), grows.dest());
      grows.prepend_scratch();
    } else {
      chunk(group.left(step - (size - 1))).fetch_result(group.left());
    }
  }
}

void exchange_rounds(const Piece& piece, const Doubling& doubling) {
  Group& group = piece.group();
  for (std::uint32_t round = 0; round < doubling.rounds(); ++round) {
    const std::uint32_t partner = doubling.partner(group.me(), round);
    group.raise(partner, Group::ready(round));
    group.take(Group::ready(round), partner);
    piece.fetch_to_scratch(partner, piece.dest());
    group.raise(partner, Group::fetched(round));
    group.take(Group::fetched(round), partner);  // now this member's dest may change
    if (partner < group.me())
      piece.prepend_scratch();
    else
      piece.append_scratch();
  }
}

void reduce_by_doubling(const Piece& piece) {
  Group& group = piece.group();
  const Doubling doubling(group);
  if (doubling.is_second_of_pair(group.me())) {
    group.raise(group.left(), Group::arrived);
    group.take(Group::released, group.left());
    return piece.fetch_result(group.left());
  }
  piece.start_with_own_terms();
  const bool stands_for_two = doubling.is_first_of_pair(group.me());
  if (stands_for_two) {
    group.take(Group::arrived, group.right());
    piece.fetch_to_scratch(group.right(), piece.source());
    piece.append_scratch();
  }
  exchange_rounds(piece, doubling);
  if (stands_for_two) group.raise(group.right(), Group::released);
}

// Doubling transfers all elements in each of few rounds. The ring transfers them twice, in many
// rounds.
Algorithm choose(const Group& group, std::size_t size) {
  constexpr std::size_t little = 64 * 1024;
  return size <= little || group.size() <= 2 ? Algorithm::recursive_doubling : Algorithm::ring;
}

void reduce_piece(Algorithm algorithm, const Piece& piece) {
  switch (algorithm) {
    case Algorithm::linear:
      return reduce_at_one(piece);
    case Algorithm::tree:
      return reduce_by_tree(piece);
    case Algorithm::ring:
      return reduce_by_ring(piece);
    default:
      return reduce_by_doubling(piece);
  }
}

}  // namespace

bool reduce(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t count,
            ElementType type) {
  const std::size_t size = times(count, type.size);
  if (!is_flat(algorithm)) algorithm = choose(group, size);
  for_each_piece(group, dest, source, count, type,
                 [&](const Piece& piece) { reduce_piece(algorithm, piece); });
  group.barrier();
  return group.well();
}

}  // namespace gondwana::reference
