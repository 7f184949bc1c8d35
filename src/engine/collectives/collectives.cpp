// Chooses the kind of algorithm for each collective.
#include "engine/collectives/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana {

static_assert(Group::flags_size <= system_area::team_flags.size);

namespace {

// Whether an alltoall is faster in two levels: one message then carries the small blocks of many
// members.
bool suits_levels(const Exchange& shape) {
  constexpr std::size_t most = 16 * 1024;  // bytes of a block
  return shape.strides.target == 1 && shape.strides.source == 1 &&
         times(shape.width, shape.count) <= most;
}

}  // namespace

// If the user names an algorithm for a collective, its barriers are flat too.
Group Collectives::group_of(Team& team, CallName call, Collective collective) const {
  if (team.own_flags != 0) return group(team, team.own_flags, call);
  return {with_, team, goes_in_levels(with_, collective, team) ? &LevelCollectives::sync : nullptr,
          call};
}

void Collectives::sync(Team& team, CallName call) {
  if (!uses_reference(with_, Collective::barrier, team)) return node_.sync(team, call);
  with_.lane.counters().add(Count::syncs);
  if (goes_in_levels(with_, Collective::barrier, team)) return LevelCollectives::sync(team, call);
  Group group = group_of(team, call, Collective::barrier);
  reference::sync(group, with_.algorithms.of(Collective::barrier));
}

bool Collectives::barrier(Team& team, CallName call) {
  with_.rma.deliver(with_.lane);
  sync(team, call);  // a rank that sees this rank arrive sees its puts
  return !with_.lane.failed();
}

bool Collectives::broadcast(Team& team, CallName call, void* dest, const void* source,
                            std::size_t size, std::uint32_t root, RootDest root_dest) {
  if (!are_symmetric(with_, dest, size, source, size)) [[unlikely]]
    return buffers_.broadcast(team, call, dest, source, size, root, root_dest);
  if (!uses_reference(with_, Collective::broadcast, team))
    return node_.broadcast(team, call, dest, source, size, root, root_dest);
  if (goes_in_levels(with_, Collective::broadcast, team))
    return levels_.broadcast(team, call, dest, source, size, root, root_dest);
  Group group = group_of(team, call, Collective::broadcast);
  if (team.me == root && root_dest == RootDest::written && dest != source && size > 0)
    std::memmove(dest, source, size);
  return reference::broadcast(group, with_.algorithms.of(Collective::broadcast), dest, source, size,
                              root);
}

bool Collectives::fcollect(Team& team, CallName call, void* dest, const void* source,
                           std::size_t size) {
  if (!are_symmetric(with_, dest, times(size, team.size), source, size)) [[unlikely]]
    return buffers_.fcollect(team, call, dest, source, size);
  if (!uses_reference(with_, Collective::fcollect, team))
    return node_.fcollect(team, call, dest, source, size);
  // Leaders need memory for the blocks of their nodes.
  constexpr std::size_t most = std::size_t{64} << 20;  // bytes
  if (goes_in_levels(with_, Collective::fcollect, team) && times(size, team.size) <= most)
    return levels_.fcollect(team, call, dest, source, size);
  Group group = group_of(team, call, Collective::fcollect);
  return reference::fcollect(group, with_.algorithms.of(Collective::fcollect), dest, source, size);
}

bool Collectives::collect(Team& team, CallName call, void* dest, const void* source,
                          std::size_t size) {
  // Only `dest` is the same kind of memory on all members: a member that contributes nothing may
  // pass any source.
  if (!with_.rma.is_symmetric(dest, std::max<std::size_t>(size, 1))) [[unlikely]]
    return buffers_.collect(team, call, dest, source, size);
  if (!with_.rma.is_symmetric(source, size)) [[unlikely]]
    return buffers_.collect_copy(team, call, dest, source, size);
  return collect_from_anywhere(team, call, dest, source, size);
}

bool Collectives::collect_from_anywhere(Team& team, CallName call, void* dest, const void* source,
                                        std::size_t size) {
  if (!uses_reference(with_, Collective::collect, team))
    return node_.collect(team, call, dest, source, size);
  Group group = group_of(team, call, Collective::collect);
  return reference::collect(group, with_.algorithms.of(Collective::collect), dest, source, size);
}

bool Collectives::alltoall(Team& team, CallName call, void* dest, const void* source,
                           const Exchange& shape) {
  if (!are_symmetric(with_, dest, span_of(shape, shape.strides.target, team.size), source,
                     span_of(shape, shape.strides.source, team.size))) [[unlikely]]
    return buffers_.alltoall(team, call, dest, source, shape);
  if (!uses_reference(with_, Collective::alltoall, team))
    return node_.alltoall(team, call, dest, source, shape);
  if (goes_in_levels(with_, Collective::alltoall, team) && suits_levels(shape))
    return levels_.alltoall(team, call, dest, source, shape.width * shape.count);
  Group group = group_of(team, call, Collective::alltoall);
  return reference::alltoall(group, dest, source, shape);
}

bool Collectives::reduce(Team& team, CallName call, void* dest, const void* source,
                         std::size_t count, ElementType type) {
  const std::size_t size = times(count, type.size);
  if (!are_symmetric(with_, dest, size, source, size)) [[unlikely]]
    return buffers_.reduce(team, call, dest, source, count, type);
  if (!uses_reference(with_, Collective::reduce, team))
    return node_.reduce(team, call, dest, source, count, type);
  if (goes_in_levels(with_, Collective::reduce, team))
    return levels_.reduce(team, call, dest, source, count, type);
  Group group = group_of(team, call, Collective::reduce);
  return reference::reduce(group, with_.algorithms.of(Collective::reduce), dest, source, count,
                           type);
}

bool Collectives::scan(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                       ElementType type, Scan kind) {
  const std::size_t size = times(count, type.size);
  if (!are_symmetric(with_, dest, size, source, size)) [[unlikely]]
    return buffers_.scan(team, call, dest, source, count, type, kind);
  if (!uses_reference(with_, Collective::scan, team))
    return node_.scan(team, call, dest, source, count, type, kind);
  // Each member gets all terms.
  constexpr std::size_t most = std::size_t{256} << 10;  // bytes
  if (goes_in_levels(with_, Collective::scan, team) && times(size, team.size) <= most)
    return levels_.scan(team, call, dest, source, count, type, kind);
  Group group = group_of(team, call, Collective::scan);
  return reference::scan(group, with_.algorithms.of(Collective::scan), dest, source, count, type,
                         kind);
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
