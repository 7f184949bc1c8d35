// Collectives of teams whose members have no common memory, or whose user names an algorithm.
//
// The flags of each team lie in the system part of its members' arenas, in front of the data bell.
#include "engine/group_algorithms.hpp"

namespace gondwana {

static_assert(ControlLayout::max_teams * Group::flags_size <= NodePlan::data_bell_offset);

Group Engine::group_of(Team& team, CallName call) {
  return {*this, team, team.number * Group::flags_size, call};
}

void Engine::sync_over_wire(Team& team, CallName call) {
  Group group = group_of(team, call);
  reference::sync(group, options_.algorithms.of(Collective::barrier));
}

Engine::Agreement Engine::agree_over_wire(Team& team, CallName call, const Agreement& mine) {
  Group group = group_of(team, call);
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
  Group group = group_of(team, call);
  if (team.me == root && dest != source && size > 0) std::memmove(dest, source, size);
  return reference::broadcast(group, options_.algorithms.of(Collective::broadcast), dest, source,
                              size, root);
}

bool Engine::reduce_over_wire(Team& team, CallName call, void* dest, const void* source,
                              std::size_t count, ElementType type) {
  Group group = group_of(team, call);
  return reference::reduce(group, options_.algorithms.of(Collective::reduce), dest, source, count,
                           type);
}

bool Engine::scan_over_wire(Team& team, CallName call, void* dest, const void* source,
                            std::size_t count, ElementType type, Scan kind) {
  Group group = group_of(team, call);
  return reference::scan(group, options_.algorithms.of(Collective::scan), dest, source, count, type,
                         kind);
}

bool Engine::collect_over_wire(Team& team, CallName call, void* dest, const void* source,
                               std::size_t size) {
  Group group = group_of(team, call);
  return reference::collect(group, options_.algorithms.of(Collective::collect), dest, source, size);
}

bool Engine::fcollect_over_wire(Team& team, CallName call, void* dest, const void* source,
                                std::size_t size) {
  Group group = group_of(team, call);
  return reference::fcollect(group, options_.algorithms.of(Collective::fcollect), dest, source,
                             size);
}

bool Engine::alltoall_over_wire(Team& team, CallName call, void* dest, const void* source,
                                const Exchange& shape) {
  Group group = group_of(team, call);
  return reference::alltoall(group, dest, source, shape);
}

}  // namespace gondwana
