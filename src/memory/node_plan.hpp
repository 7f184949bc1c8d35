// The address space layout of a node's ranks, agreed before anything is mapped.
//
// Every rank has an arena: `stride` bytes of a sparse memfd. All arenas of the node lie in one
// reserved range, one stride apart, in every process, so the window onto a peer is arithmetic. An
// arena holds
//
//   | system: the engine's own words | symmetric globals of the program | remote heap |
//   | symmetric heap | segments ... | inbox |
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"
#include "memory/node_ranks.hpp"

namespace gondwana {

// The bytes of events that each thread of a traced job keeps.
inline constexpr std::size_t min_ring_size = std::size_t{4} << 10;
inline constexpr std::size_t largest_ring_size = std::size_t{1} << 30;

// Ranks with consecutive numbers that start together: those of a job at its start, or those that
// join it later. They are one world until the job's ranks agree on a larger one.
struct Session {
  std::uint32_t first = 0;
  std::uint32_t ranks = 0;

  constexpr std::uint32_t end() const { return first + ranks; }
};

// The part of a job on one node: `ranks` ranks from `first` on. Roster answers questions about it.
// A node that is added has a number and ranks that follow those of the start.
struct NodeShare {
  std::uint32_t ranks = 0;  // at the start of the job
  std::uint32_t first = 0;
  std::uint32_t node = 0;       // its number
  std::uint32_t nodes = 1;      // at the start of the job
  std::uint32_t job_ranks = 0;  // on all nodes, at the start of the job
  std::uint32_t max_ranks = 0;  // the most on this node, later; 0: the node does not grow
  // The most on all nodes, later, in a job on several nodes; 0: the job does not grow.
  std::uint32_t job_max_ranks = 0;
  // The most nodes that take the place of lost ones, in a job on several nodes.
  std::uint32_t spare_nodes = 0;

  // For a job on one node.
  static constexpr NodeShare whole(std::uint32_t ranks) { return {ranks, 0, 0, 1, ranks}; }
  constexpr NodeRanks node_ranks() const { return {first, ranks}; }
  // The most ranks on this node and on all nodes: layouts have places for them.
  constexpr std::uint32_t slots() const { return max_ranks > ranks ? max_ranks : ranks; }
  constexpr std::uint32_t capacity() const {
    const std::uint32_t grown = job_ranks + (slots() - ranks);
    return job_max_ranks > grown ? job_max_ranks : grown;
  }
  // The most ranks that may be added to those on all nodes.
  constexpr std::uint32_t added_ranks() const { return capacity() - job_ranks; }
  // The most nodes: on several nodes, ranks that are added bring nodes of their own.
  constexpr std::uint32_t node_slots() const {
    return nodes > 1 ? nodes + added_ranks() + spare_nodes : nodes;
  }
  // The ranks at the start of the job.
  constexpr Session first_session() const { return {0, job_ranks}; }
};

struct NodePlan : NodeShare {
  std::size_t stride = 0;  // distance of two arenas, in whole huge pages
  // The bytes of each arena, from huge_offset on, that lie on huge pages set aside: one memfd for
  // the node, with a part for each rank in turn.
  std::size_t huge = 0;
  std::size_t ring_size = 0;  // bytes of the last events of each thread; 0: not traced
  // The node's team numbers; a multiple of 64. Each costs address space, and memory once it is
  // used.
  std::uint32_t teams = min_teams;

  // The bytes of an arena. The rest of the stride is a guard; nobody uses it.
  std::size_t arena_size() const { return stride - guard; }
  std::size_t range_size() const { return stride * slots(); }
  // Each arena has a file of its own, so ranks that fault pages in do not wait for each other. But
  // every rank maps every file: in large jobs, consecutive arenas share one, so that all ranks
  // together make about max_file_mappings.
  std::uint32_t arenas_per_file() const {
    const std::uint64_t one_each = std::uint64_t{slots()} * slots();
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, (one_each + max_file_mappings - 1) / max_file_mappings));
  }
  std::uint32_t arena_files() const {
    return (slots() + arenas_per_file() - 1) / arenas_per_file();
  }
  std::uint32_t file_of(std::uint32_t slot) const { return slot / arenas_per_file(); }
  std::size_t place_in_file(std::uint32_t slot) const { return slot % arenas_per_file() * stride; }
  std::uint32_t arenas_in_file(std::uint32_t file) const {
    return std::min(arenas_per_file(), slots() - file * arenas_per_file());
  }
  std::size_t file_size(std::uint32_t file) const {
    return (arenas_in_file(file) - 1) * stride + arena_size();
  }
  // The descriptors that the ranks of the node share besides the control memory: the files of the
  // arenas, the huge pages of all ranks if some were set aside, and on several nodes an eventfd
  // that wakes the agent.
  std::uint32_t descriptors() const {
    return arena_files() + (huge > 0 ? 1 : 0) + (nodes > 1 ? 1 : 0);
  }
  // A rank's inbox lies at the end of its arena.
  std::size_t inbox_offset() const;

  static constexpr std::uint32_t min_teams = 64;
  static constexpr std::uint32_t max_teams = 65536;
  static constexpr std::uint32_t max_file_mappings = 64 * 64;
  static constexpr std::size_t guard = 64 * 1024;
  static constexpr std::size_t system_size = 50 * 1024 * 1024;  // places for max_teams teams
  static constexpr std::size_t globals_offset = system_size;
};

// The heap begins at a boundary of huge pages, whatever globals precede it.
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t heap_offset(std::size_t globals_size) {
  const std::size_t before = NodePlan::globals_offset + globals_size;
  return (before + huge_page - 1) / huge_page * huge_page;
}

// The start of a heap on huge pages that were set aside. It is the same for all programs, because
// the pages are mapped before the program is known. Nodes without such pages use the same offset.
constexpr std::size_t huge_offset = heap_offset(std::size_t{1} << 30);

// Each rank sees its own arena begin at a multiple of this. So a block that is aligned on one rank
// is aligned on all, at the same offset.
inline constexpr std::size_t arena_alignment = std::size_t{1} << 30;

// An unused address: above the shadow of AddressSanitizer, below programs and libraries. It is only
// a preference: if it is in use, a process maps the range elsewhere.
inline constexpr std::uintptr_t preferred_base = 0x2000'0000'0000;

// Chooses strides as long as the memory of the machine, or shorter if address space is limited.
Result<NodePlan> plan_node(const NodeShare& share);

// A new file for some of the arenas.
Result<UniqueFd> create_arena_file(const NodePlan& plan, std::uint32_t file);

}  // namespace gondwana
