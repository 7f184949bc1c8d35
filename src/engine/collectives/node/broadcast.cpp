// Copies the root's array to every member.
//
// Every dest may be written as soon as the root calls. The root stores a small array to all
// members, announces it and returns without waiting. A large array is copied to each member by that
// member or by the root, whichever comes first. A member copies if it enters while the root is
// still copying. So members with processors of their own all copy at once. If ranks share
// processors, no rank waits for one that does not run.
//
// In an active set, the next collective of any set waits until all members have left the broadcast.
#include <cstring>

#include "engine/collectives/node/node_collectives.hpp"
#include "engine/teams/teams.hpp"

namespace gondwana {
namespace {

// Total bytes of all copies. Below this, sharing the work takes longer than doing it.
constexpr std::size_t small_bytes = 32 * 1024;

// A broadcast of this thread in an active set that other members may not have left yet.
struct LastBroadcast {
  const NodeCollectives* of = nullptr;  // null: there is none
  std::uint32_t number = 0;             // of the team, then its members
  std::uint32_t first = 0;
  std::int32_t stride = 0;
  std::uint32_t size = 0;
  std::uint32_t me = 0;
  Epoch epoch = 0;

  Team team() const { return {number, {first, stride, size}, me}; }
};
[[gnu::tls_model("initial-exec")]] constinit thread_local LastBroadcast last_broadcast;

}  // namespace

bool NodeCollectives::broadcast(Team& team, CallName call, void* dest, const void* source,
                                std::size_t size, std::uint32_t root, RootDest root_dest) {
  with_.lane.counters().add(Count::syncs);
  const Broadcast what{dest, source, size, root, root_dest};
  if (size <= small_bytes / team.size)
    broadcast_small(team, call, what);
  else if (team.me == root)
    broadcast_large(team, call, what);
  else
    take_broadcast(team, call, what);
  if (team.serves_set)
    last_broadcast = {this, team.number, team.first, team.stride, team.size, team.me, team.epoch};
  return true;
}

NodeCollectives::~NodeCollectives() {
  if (last_broadcast.of == this) last_broadcast.of = nullptr;
}

// The lines of an ended team stay in place.
void NodeCollectives::finish_last_broadcast(CallName call) {
  if (last_broadcast.of != this) return;
  const Team team = last_broadcast.team();
  const NodeSync line = line_of(team);
  last_broadcast.of = nullptr;  // also if a member has died
  for (std::uint32_t member = 0; member < team.size; ++member)
    wait_for_member(line, team, member, last_broadcast.epoch, call);
}

// The last member to leave wakes those that wait in finish_last_broadcast().
void NodeCollectives::leave_broadcast(const Team& team, NodeSync line, Epoch epoch) {
  if (!team.serves_set) return line.arrive(epoch);
  line.advance(epoch);
  if (line.all_reached(epoch)) line.ring_sleepers(epoch);
}

void NodeCollectives::Broadcast::copy_at_root() const {
  if (root_dest == RootDest::written && dest != source) std::memmove(dest, source, size);
}

void NodeCollectives::broadcast_small(Team& team, CallName call, const Broadcast& what) {
  const Epoch stored = ++team.epoch;
  NodeSync line = line_of(team);
  if (team.me != what.root) {
    wait_for_member(line, team, what.root, stored, call);
    return leave_broadcast(team, line, stored);
  }
  for (std::uint32_t i = 1; i < team.size; ++i)
    with_.rma.put(with_.lane, team.rank_of((team.me + i) % team.size), what.dest, what.source,
                  what.size);
  line.arrive(stored);
  line.ring_sleepers(stored);
  what.copy_at_root();
}

// The root copies to its own dest first, so that waiting members have time to copy theirs.
void NodeCollectives::broadcast_large(Team& team, CallName call, const Broadcast& what) {
  const Epoch ready = team.epoch + 1;
  const Epoch copied = team.epoch += 2;
  NodeSync line = line_of(team);
  line.arrive(ready);
  line.ring_sleepers(ready);
  what.copy_at_root();
  std::uint32_t takers = 0;
  for (std::uint32_t i = 1; i < team.size; ++i) {
    const std::uint32_t member = (team.me + i) % team.size;
    if (line.claim(member, copied))
      with_.rma.put(with_.lane, team.rank_of(member), what.dest, what.source, what.size);
    else
      ++takers;
  }
  const auto takers_are_done = [&] {
    std::uint32_t done = 0;
    for (std::uint32_t i = 1; i < team.size; ++i)
      if (line.reached((team.me + i) % team.size, ready)) ++done;
    return done == takers;  // the other members do not proceed before this line moves
  };
  if (!takers_are_done()) with_.waiter.until({.call = call, .team = team.number}, takers_are_done);
  line.arrive(copied);
  line.ring_sleepers(copied);
}

// Members other than the root. None leaves before the root: the next root may claim the same lines.
void NodeCollectives::take_broadcast(Team& team, CallName call, const Broadcast& what) {
  const Epoch ready = team.epoch + 1;
  const Epoch copied = team.epoch += 2;
  NodeSync line = line_of(team);
  wait_for_member(line, team, what.root, ready, call);
  if (line.claim(team.me, copied)) {
    const Rank root = team.rank_of(what.root);
    with_.rma.get(with_.lane, root, what.dest, what.source, what.size);
    line.arrive(ready);
    with_.waiter.wake(root);
  }
  wait_for_member(line, team, what.root, copied, call);
  leave_broadcast(team, line, copied);
}

}  // namespace gondwana
