// Collectives of teams whose members have no common memory, or whose user names an algorithm.
//
// The flags of each team lie in the system part of its members' arenas, in front of the data bell.
#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana {

static_assert(Group::flags_size <= system_area::team_flags.size &&
              Group::flags_size <= system_area::node_flags.size);

// Where the user names an algorithm for a collective, the barriers in it are flat too.
Group Engine::group_of(Team& team, CallName call, Collective collective) {
  const bool is_named = is_flat(options_.algorithms.of(collective));
  return {*this, team, is_named ? Group::Barriers::flat : Group::Barriers::in_levels, call};
}

void Engine::sync_over_wire(Team& team, CallName call) {
  if (goes_in_levels(Collective::barrier, team)) return sync_in_levels(team, call);
  Group group = group_of(team, call, Collective::barrier);
  reference::sync(group, options_.algorithms.of(Collective::barrier));
}

Engine::Agreement Engine::agree_over_wire(Team& team, CallName call, const Agreement& mine) {
  Group group = group_of(team, call, Collective::barrier);
  group.write_note(0, mine.numbers);
  group.write_note(1, mine.epoch);
  group.barrier();
  Agreement all = mine;
  for (std::uint32_t member = 0; member < team.size; ++member)
    all = combined(all, {group.note_of(member, 0), group.note_of(member, 1)});
  group.barrier();
  group.write_note(0, 0);
  group.write_note(1, 0);
  return all;
}

bool Engine::broadcast_over_wire(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t size, std::uint32_t root) {
  if (goes_in_levels(Collective::broadcast, team))
    return broadcast_in_levels(team, call, {dest, source, size, root});
  Group group = group_of(team, call, Collective::broadcast);
  if (team.me == root && dest != source && size > 0) std::memmove(dest, source, size);
  return reference::broadcast(group, options_.algorithms.of(Collective::broadcast), dest, source,
                              size, root);
}

bool Engine::reduce_over_wire(Team& team, CallName call, void* dest, const void* source,
                              std::size_t count, ElementType type) {
  if (goes_in_levels(Collective::reduce, team))
    return reduce_in_levels(team, call, dest, source, count, type);
  Group group = group_of(team, call, Collective::reduce);
  return reference::reduce(group, options_.algorithms.of(Collective::reduce), dest, source, count,
                           type);
}

bool Engine::scan_over_wire(Team& team, CallName call, void* dest, const void* source,
                            std::size_t count, ElementType type, Scan kind) {
  Group group = group_of(team, call, Collective::scan);
  return reference::scan(group, options_.algorithms.of(Collective::scan), dest, source, count, type,
                         kind);
}

bool Engine::collect_over_wire(Team& team, CallName call, void* dest, const void* source,
                               std::size_t size) {
  Group group = group_of(team, call, Collective::collect);
  return reference::collect(group, options_.algorithms.of(Collective::collect), dest, source, size);
}

bool Engine::fcollect_over_wire(Team& team, CallName call, void* dest, const void* source,
                                std::size_t size) {
  if (goes_in_levels(Collective::fcollect, team))
    return fcollect_in_levels(team, call, dest, source, size);
  Group group = group_of(team, call, Collective::fcollect);
  return reference::fcollect(group, options_.algorithms.of(Collective::fcollect), dest, source,
                             size);
}

bool Engine::alltoall_over_wire(Team& team, CallName call, void* dest, const void* source,
                                const Exchange& shape) {
  Group group = group_of(team, call, Collective::alltoall);
  return reference::alltoall(group, dest, source, shape);
}

}  // namespace gondwana
