// Prefix sums: member i gets the combination of members 0 to i, or of those before i.
//
// A small scan is a reduction that stops early. A large one is split into parts: member p walks
// through the p-th part of all arrays, from the first member to the last, and stores each member's
// result. So each element is combined once for any number of members.
//
// Contributions are combined in member order, so equal calls give equal bits.
#include <cstring>
#include <utility>

#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {

bool NodeCollectives::scan(Team& team, CallName call, void* dest, const void* source,
                           std::size_t count, ElementType type, Scan kind) {
  const std::size_t size = times(count, type.size);
  if (size <= small_array)
    scan_small(team, call, dest, source, count, type, kind);
  else
    scan_parts(team, call, dest, source, count, type, kind);
  return true;
}

// Waits for all members. Otherwise this rank could reuse this half of its scratch too early.
void NodeCollectives::scan_small(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t count, ElementType type, Scan kind) {
  const std::uint32_t terms = kind == Scan::inclusive ? team.me + 1 : team.me;
  combine_first(team, call, terms, dest, source, count, type);
  if (terms == 0) std::memset(dest, 0, count * type.size);
  const NodeSync line = line_of(team);
  for (std::uint32_t member = terms; member < team.size; ++member)
    wait_for_member(line, team, member, team.epoch, call);
}

void NodeCollectives::scan_parts(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t count, ElementType type, Scan kind) {
  sync(team, call);  // every source is ready
  Piece piece;
  Piece other;
  for_each_piece(part_of(count, team.size, team.me, type.size), type.size, [&](Part part) {
    void* sum = piece.data();   // of the members so far
    void* next = other.data();  // including this one
    std::memset(sum, 0, part.count * type.size);
    for (std::uint32_t i = 0; i < team.size; ++i) {
      const Rank member = team.rank_of(i);
      const std::byte* term = place_of(member, source) + part.begin * type.size;
      if (i == 0)
        std::memcpy(next, term, part.count * type.size);
      else
        type.combine(next, sum, term, part.count);
      // The member's contribution has been read, so dest may be source.
      std::memcpy(place_of(member, dest) + part.begin * type.size,
                  kind == Scan::inclusive ? next : sum, part.count * type.size);
      std::swap(sum, next);
    }
  });
  sync(team, call);  // every dest is complete
}

}  // namespace gondwana
