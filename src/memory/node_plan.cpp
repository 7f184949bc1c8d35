#include "memory/node_plan.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "memory/layout.hpp"
#include "sync/inbox_memory.hpp"

namespace gondwana {
namespace {

// The address space that one process may use for arenas.
std::size_t address_space() {
  constexpr std::size_t between_base_and_programs = std::size_t{48} << 40;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return between_base_and_programs;
  // Half: the program, its libraries and its stacks need the rest.
  return std::min<std::size_t>(between_base_and_programs, limit.rlim_cur / 2);
}

// A part of the address space serves the node's teams, in its control memory.
std::uint32_t teams_for(std::uint32_t ranks) {
  constexpr std::size_t part = 16;
  const std::size_t fitting = address_space() / part / (ControlLayout::size_of_team * ranks);
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(fitting / 64 * 64, NodePlan::min_teams, NodePlan::max_teams));
}

}  // namespace

std::size_t NodePlan::inbox_offset() const {
  return arena_size() - InboxLayout(slots()).size();
}

Result<NodePlan> plan_node(const NodeShare& share) {
  const std::uint32_t ranks = share.slots();
  const std::size_t inbox = InboxLayout(ranks).size();
  // On several nodes, the scratch of teams takes as much space again.
  const std::size_t memory = (usable_memory() + huge_offset + inbox) * (share.nodes > 1 ? 2 : 1);
  const std::size_t most = std::bit_floor(address_space() / std::max(1U, ranks));
  const std::size_t room = std::min(std::bit_ceil(memory), most);
  const std::size_t least = std::bit_ceil(NodePlan::system_size + 4 * huge_page + inbox);
  if (room < least) {
    return Error{Errc::out_of_memory,
                 fmt::format("{} ranks need at least {} of address space, but only {} are allowed; "
                             "raise ulimit -v or start fewer ranks",
                             ranks, format_size(least * ranks), format_size(address_space()))};
  }
  // Not a power of two, although a huge page less than one. Some processors predict a line's place
  // in the first-level cache by a hash of address bits 12 to 27. A symmetric object would evict its
  // counterparts in the peers' arenas.
  NodePlan plan{share, room - huge_page};
  plan.teams = teams_for(ranks);
  return plan;
}

Result<UniqueFd> create_arena_file(const NodePlan& plan, std::uint32_t file) {
  return create_memfd("gondwana-arena", plan.file_size(file));
}

}  // namespace gondwana
