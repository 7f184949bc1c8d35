// Chooses the kind of algorithm for each collective.
#include "engine/collectives/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana {

static_assert(Group::flags_size <= system_area::team_flags.size);

// If the user names an algorithm for a collective, its barriers are flat too.
Group Collectives::group_of(Team& team, CallName call, Collective collective) const {
  if (team.own_flags != 0) return group(team, team.own_flags, call);
  return {with_, team, goes_in_levels(collective, team) ? &LevelCollectives::sync : nullptr, call};
}

void Collectives::sync(Team& team, CallName call) {
  if (!uses_reference(Collective::barrier, team)) return node_.sync(team, call);
  with_.lane.counters().add(Count::syncs);
  if (goes_in_levels(Collective::barrier, team)) return LevelCollectives::sync(team, call);
  Group group = group_of(team, call, Collective::barrier);
  reference::sync(group, algorithm_of(Collective::barrier));
}

bool Collectives::barrier(Team& team, CallName call) {
  with_.rma.deliver(with_.lane);
  sync(team, call);  // a rank that sees this rank arrive sees its puts
  return !with_.lane.failed();
}

bool Collectives::broadcast(Team& team, CallName call, void* dest, const void* source,
                            std::size_t size, std::uint32_t root, RootDest root_dest) {
  if (!are_symmetric(dest, size, source, size)) [[unlikely]]
    return buffers_.broadcast(team, call, dest, source, size, root, root_dest);
  if (!uses_reference(Collective::broadcast, team))
    return node_.broadcast(team, call, dest, source, size, root, root_dest);
  if (goes_in_levels(Collective::broadcast, team))
    return levels_.broadcast(team, call, dest, source, size, root, root_dest);
  Group group = group_of(team, call, Collective::broadcast);
  if (team.me == root && root_dest == RootDest::written && dest != source && size > 0)
    std::memmove(dest, source, size);
  return reference::broadcast(group, algorithm_of(Collective::broadcast), dest, source, size, root);
}

bool Collectives::fcollect(Team& team, CallName call, void* dest, const void* source,
                           std::size_t size) {
  if (!are_symmetric(dest, times(size, team.size), source, size)) [[unlikely]]
    return buffers_.fcollect(team, call, dest, source, size);
  if (!uses_reference(Collective::fcollect, team))
    return node_.fcollect(team, call, dest, source, size);
  // Leaders need memory for the blocks of their nodes.
  constexpr std::size_t most = std::size_t{64} << 20;  // bytes
  if (goes_in_levels(Collective::fcollect, team) && times(size, team.size) <= most)
    return levels_.fcollect(team, call, dest, source, size);
  Group group = group_of(team, call, Collective::fcollect);
  return reference::fcollect(group, algorithm_of(Collective::fcollect), dest, source, size);
}

bool Collectives::collect(Team& team, CallName call, void* dest, const void* source,
                          std::size_t size) {
  // Only `dest` is the same kind of memory on all members: one that contributes nothing may pass
  // any source.
  if (!with_.rma.is_symmetric(dest, std::max<std::size_t>(size, 1))) [[unlikely]]
    return buffers_.collect(team, call, dest, source, size);
  if (!with_.rma.is_symmetric(source, size)) [[unlikely]]
    return buffers_.collect_copy(team, call, dest, source, size);
  return collect_from_anywhere(team, call, dest, source, size);
}

bool Collectives::collect_from_anywhere(Team& team, CallName call, void* dest, const void* source,
                                        std::size_t size) {
  if (!uses_reference(Collective::collect, team))
    return node_.collect(team, call, dest, source, size);
  Group group = group_of(team, call, Collective::collect);
  return reference::collect(group, algorithm_of(Collective::collect), dest, source, size);
}

bool Collectives::exchanges_in_levels(const Team& team, const Exchange& shape) const {
  constexpr std::size_t most = 16 * 1024;  // bytes of a block
  return goes_in_levels(Collective::alltoall, team) && shape.strides.target == 1 &&
         shape.strides.source == 1 && times(shape.width, shape.count) <= most;
}

bool Collectives::alltoall(Team& team, CallName call, void* dest, const void* source,
                           const Exchange& shape) {
  if (!are_symmetric(dest, span_of(shape, shape.strides.target, team.size), source,
                     span_of(shape, shape.strides.source, team.size))) [[unlikely]]
    return buffers_.alltoall(team, call, dest, source, shape);
  if (!uses_reference(Collective::alltoall, team))
    return node_.alltoall(team, call, dest, source, shape);
  if (exchanges_in_levels(team, shape))
    return levels_.alltoall(team, call, dest, source, shape.width * shape.count);
  Group group = group_of(team, call, Collective::alltoall);
  return reference::alltoall(group, dest, source, shape);
}

bool Collectives::reduce(Team& team, CallName call, void* dest, const void* source,
                         std::size_t count, ElementType type) {
  const std::size_t size = times(count, type.size);
  if (!are_symmetric(dest, size, source, size)) [[unlikely]]
    return buffers_.reduce(team, call, dest, source, count, type);
  if (!uses_reference(Collective::reduce, team))
    return node_.reduce(team, call, dest, source, count, type);
  if (goes_in_levels(Collective::reduce, team))
    return levels_.reduce(team, call, dest, source, count, type);
  Group group = group_of(team, call, Collective::reduce);
  return reference::reduce(group, algorithm_of(Collective::reduce), dest, source, count, type);
}

bool Collectives::scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                       ElementType type, Scan kind) {
  const std::size_t size = times(count, type.size);
  if (!are_symmetric(dest, size, source, size)) [[unlikely]]
    return buffers_.scan(team, call, dest, source, count, type, kind);
  if (!uses_reference(Collective::scan, team))
    return node_.scan(team, call, dest, source, count, type, kind);
  Group group = group_of(team, call, Collective::scan);
  return reference::scan(group, algorithm_of(Collective::scan), dest, source, count, type, kind);
}

std::vector<std::uint64_t> Collectives::exchange(Team& team, CallName call, std::uint64_t mine) {
  Group group = group_of(team, call, Collective::barrier);
  group.write_note(0, mine);
  group.barrier();
  std::vector<std::uint64_t> all(team.size);
  for (std::uint32_t member = 0; member < team.size; ++member)
    all[member] = group.note_of(member, 0);
  group.barrier();
  group.write_note(0, 0);
  return all;
}

}  // namespace gondwana
