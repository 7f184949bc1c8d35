// Prefix sums in a group, in member order.
#include "engine/collectives/reference/algorithms.hpp"
#include "engine/collectives/reference/pieces.hpp"

namespace gondwana::reference {
namespace {

// Each member fetches the contributions of all members before it. Then all write their results.
void scan_alone(const Piece& piece, Scan kind, std::vector<std::byte>& sum) {
  Group& group = piece.group();
  const std::uint32_t end = kind == Scan::inclusive ? group.me() + 1 : group.me();
  sum.assign(piece.size(), std::byte{0});
  const Piece result = piece.into(sum.data());
  group.barrier();
  for (std::uint32_t member = 0; member < end; ++member) {
    if (member == 0) {
      group.get(member, sum.data(), piece.source(), piece.size());
      continue;
    }
    piece.fetch_to_scratch(member, piece.source());
    result.append_scratch();
  }
  group.barrier();
  piece.copy_to_dest(sum.data());
}

// In round k a member fetches the sum of the 2^k members that end 2^k before it. It may update its
// own sum, in dest, after the member 2^k later has fetched it. `before` excludes its own
// contribution.
void scan_by_doubling(const Piece& piece, Scan kind, std::vector<std::byte>& before) {
  Group& group = piece.group();
  const std::uint32_t me = group.me();
  before.assign(piece.size(), std::byte{0});
  const Piece without_own = piece.into(before.data());
  piece.start_with_own_terms();
  for (std::uint32_t round = 0; round < rounds_for(group.size()); ++round) {
    const std::uint32_t distance = 1U << round;
    const bool is_fetched = distance < group.size() - me;
    if (is_fetched) group.raise(me + distance, Group::ready(round));
    if (me >= distance) {
      group.take(Group::ready(round), me - distance);
      piece.fetch_to_scratch(me - distance, piece.dest());
      group.raise(me - distance, Group::fetched(round));
    }
    if (is_fetched) group.take(Group::fetched(round), me + distance);
    if (me < distance) continue;
    piece.prepend_scratch();
    if (round == 0)
      without_own.copy_to_dest(piece.scratch());
    else
      without_own.prepend_scratch();
  }
  if (kind == Scan::exclusive) piece.copy_to_dest(before.data());
}

}  // namespace

bool scan(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t count,
          ElementType type, Scan kind) {
  std::vector<std::byte> sum;
  for_each_piece(group, dest, source, count, type, [&](const Piece& piece) {
    if (algorithm == Algorithm::linear)
      scan_alone(piece, kind, sum);
    else
      scan_by_doubling(piece, kind, sum);
  });
  group.barrier();
  return group.well();
}

}  // namespace gondwana::reference
