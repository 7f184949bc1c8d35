#include "engine/teams/levels.hpp"

#include <cstdlib>

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

// Null where it is not known to this rank.
const NodeEntry* find_node(const NodeMemory& memory, Rank rank) {
  for (std::uint32_t node = 0; node < memory.plan().nodes; ++node) {
    const NodeEntry& entry = memory.entry(node);
    if (entry.state.load(std::memory_order_acquire) == NodeState::unknown) return nullptr;
    if (index(rank) - entry.info.first < entry.info.ranks) return &entry;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<Levels> levels_of(const NodeMemory& memory, const Team& team,
                                  std::uint64_t exchanges) {
  auto levels = std::make_shared<Levels>();
  levels->exchanges = exchanges;
  for (std::uint32_t member = 0; member < team.size;) {
    const NodeEntry* node = find_node(memory, team.rank_of(member));
    if (node == nullptr) return nullptr;
    const std::uint32_t count = members_from(team, member, node->info);
    if (team.me - member < count) {
      levels->me = levels->nodes();
      levels->node = Team{.number = team.number,
                          .first = index(team.rank_of(member)),
                          .stride = team.stride,
                          .size = count,
                          .me = team.me - member,
                          .epoch = team.epoch};
    }
    levels->leaders.push_back(team.rank_of(member));
    levels->borders.push_back(member);
    member += count;
  }
  levels->borders.push_back(team.size);
  return levels->nodes() <= Levels::most_nodes ? levels : nullptr;
}

}  // namespace gondwana
