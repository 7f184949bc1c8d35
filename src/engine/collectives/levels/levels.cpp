// Which teams have two levels, and how their members wait for one another.
//
// The members of a node meet in common memory, as TeamSync does it: all reach the first epoch, and
// go on when the leader has reached the second. In between one message goes to the next node: it is
// sent by the member that comes last, who is awake, and received by the leader, whom it wakes.
#include "engine/collectives/levels/levels.hpp"

#include "engine/collectives/reference/group.hpp"

namespace gondwana {
namespace {

// How many members from `member` on are among the ranks of a node.
std::uint32_t members_from(const Team& team, std::uint32_t member, const NodeInfo& node) {
  const std::uint32_t left = team.size - member;
  const std::uint32_t before = index(team.rank_of(member)) - node.first;
  if (team.stride == 0) return left;
  const auto step = static_cast<std::uint32_t>(std::abs(std::int64_t{team.stride}));
  const std::uint32_t others = team.stride > 0 ? node.ranks - 1 - before : before;
  return std::min(left, others / step + 1);
}

}  // namespace

// Null where it is not known to this rank.
const NodeEntry* Engine::find_node(Rank rank) const {
  for (std::uint32_t node = 0; node < memory_->plan().nodes; ++node) {
    const NodeEntry& entry = memory_->entry(node);
    if (entry.state.load(std::memory_order_acquire) == NodeState::unknown) return nullptr;
    if (index(rank) - entry.info.first < entry.info.ranks) return &entry;
  }
  return nullptr;
}

// All members find the same, since all know all nodes, or none. Not in a job that is to go over the
// wire within a node too.
std::shared_ptr<Levels> Engine::levels_of(const Team& team, std::uint64_t exchanges) const {
  if (!wire_ || in_reach(team) || !reach_.covers(rank_)) return nullptr;
  auto levels = std::make_shared<Levels>();
  levels->exchanges = exchanges;
  for (std::uint32_t member = 0; member < team.size;) {
    const NodeEntry* node = find_node(team.rank_of(member));
    if (node == nullptr) return nullptr;
    const std::uint32_t count = members_from(team, member, node->info);
    if (team.me - member < count) {
      levels->me = levels->nodes();
      levels->node = Team{.number = team.number,
                          .first = index(team.rank_of(member)),
                          .stride = team.stride,
                          .size = count,
                          .me = team.me - member,
                          .epoch = team.epoch,
                          .is_part = true};
    }
    levels->leaders.push_back(team.rank_of(member));
    levels->borders.push_back(member);
    member += count;
  }
  levels->borders.push_back(team.size);
  const std::uint32_t nodes = levels->nodes();
  if (rounds_for(nodes) > NodeWords::most_rounds) return nullptr;
  return levels;
}

// True for one member: all of this node have come, and it is to tell the others.
bool Engine::arrive_at_node(NodeSync& line, const Team& node, Epoch epoch) {
  line.advance(epoch);
  if (!line.all_reached(epoch)) return false;
  if (node.me != 0) wake_member(node.rank_of(0));
  return line.claim(0, epoch);
}

void Engine::wait_for_node(const NodeSync& line, const Team& node, Epoch epoch, CallName call) {
  std::uint32_t from = 0;
  if (!line.all_reached(epoch, from))
    wait({.call = call, .team = node.number}, [&] { return line.all_reached(epoch, from); });
}

// Between the leaders by dissemination, see Group::barrier().
void Engine::sync_in_levels(Team& team, CallName call) {
  Levels& levels = *team.levels;
  Team& node = levels.node;
  const std::uint64_t number = ++levels.exchanges;
  const Epoch come = node.epoch + 1;
  const Epoch gone = node.epoch += 2;
  NodeSync line(NodeTeam(*memory_, node), node.me);
  Group leaders(*this, levels, call);
  const auto tell = [&](std::uint32_t round) {
    leaders.write_words(leaders.right(1U << round), round, number, {});
  };
  const auto hear = [&](std::uint32_t round) {
    leaders.read_words(leaders.left(1U << round), round, number, {});
  };
  if (arrive_at_node(line, node, come)) tell(0);
  if (!levels.is_leader()) {
    wait_for_member(line, node, 0, gone, call);
    return line.arrive(gone);
  }
  hear(0);
  wait_for_node(line, node, come, call);
  for (std::uint32_t round = 1; round < rounds_for(leaders.size()); ++round) {
    tell(round);
    hear(round);
  }
  line.arrive(gone);
  line.ring_sleepers(gone);
}

}  // namespace gondwana
