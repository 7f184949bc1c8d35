// Concatenates the arrays of all members in every dest.
//
// Every dest may be written as soon as the first member calls. Each member stores its array in all
// of them. One synchronization then completes the gather. If sizes differ, a member must first know
// the sizes of the members before it.
#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {

bool NodeCollectives::fcollect(Team& team, CallName call, void* dest, const void* source,
                               std::size_t size) {
  put_to_all(team, static_cast<std::byte*>(dest) + team.me * size, source, size);
  sync(team, call);
  return true;
}

bool NodeCollectives::collect(Team& team, CallName call, void* dest, const void* source,
                              std::size_t size) {
  const Combine add_sizes = [](void* out, const void* a, const void* b, std::size_t /*count*/) {
    *static_cast<std::size_t*>(out) =
        *static_cast<const std::size_t*>(a) + *static_cast<const std::size_t*>(b);
  };
  std::size_t before = 0;  // bytes of the members before this one
  combine_first(team, call, team.me, &before, &size, 1, {sizeof(std::size_t), add_sizes});
  const bool stored = put_to_all(team, static_cast<std::byte*>(dest) + before, source, size);
  sync(team, call);
  return stored;
}

// Each member starts with a different target.
bool NodeCollectives::put_to_all(const Team& team, void* dest, const void* source,
                                 std::size_t size) {
  if (size == 0) return true;
  bool stored = true;
  for (std::uint32_t i = 0; i < team.size; ++i) {
    const Rank member = team.rank_of((team.me + i) % team.size);
    stored = with_.rma.put(with_.lane, member, dest, source, size) && stored;
  }
  return stored;
}

}  // namespace gondwana
