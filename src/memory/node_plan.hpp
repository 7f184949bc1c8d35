// How the memory of a node's ranks is laid out in address space, agreed before anything is mapped.
//
// Every rank has an arena: a sparse memfd `stride` bytes long. All arenas of the node lie in one
// reserved range, one stride (and a guard page's worth) apart, in every process, so that the window
// onto a peer is arithmetic. An arena holds
//
//   | system: the engine's own words | symmetric globals of the program | symmetric heap |
//   | segments ... | inbox |
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/node_ranks.hpp"

namespace gondwana {

// Of the bytes of events that a thread of a traced job keeps.
inline constexpr std::size_t least_ring_size = std::size_t{4} << 10;
inline constexpr std::size_t largest_ring_size = std::size_t{1} << 30;

// The part of a job that a node holds: `ranks` ranks from `first` on. See Roster, which answers.
struct NodeShare {
  std::uint32_t ranks = 0;
  std::uint32_t first = 0;
  std::uint32_t node = 0;  // its number
  std::uint32_t nodes = 1;
  std::uint32_t job_ranks = 0;  // on all nodes

  // Of a job on one node.
  static constexpr NodeShare whole(std::uint32_t ranks) { return {ranks, 0, 0, 1, ranks}; }
  constexpr NodeRanks node_ranks() const { return {first, ranks}; }
  // How many ranks there may be, on this node and on all: what layouts have places for.
  constexpr std::uint32_t slots() const { return ranks; }
  constexpr std::uint32_t capacity() const { return job_ranks; }
};

struct NodePlan : NodeShare {
  std::size_t stride = 0;  // distance of two arenas; of whole huge pages
  // Bytes of each arena, from huge_offset on, that lie on huge pages which were set aside: a memfd
  // of their own for the node, a part of it for each rank in turn.
  std::size_t huge = 0;
  std::size_t ring_size = 0;  // bytes of the last events that each thread keeps; 0: not traced
  // Numbers of teams that the ranks of the node have; a multiple of 64. Each costs address space,
  // and memory once it is used.
  std::uint32_t teams = least_teams;

  // Bytes of an arena that exist. What is left of the stride stays reserved: a guard.
  std::size_t arena_size() const { return stride - guard; }
  std::size_t range_size() const { return stride * slots(); }
  // Descriptors that the ranks of the node share besides the control memory: the arenas, the huge
  // pages of all where some were set aside, and where the job has several nodes an eventfd that
  // wakes their agent.
  std::uint32_t descriptors() const { return slots() + (huge > 0 ? 1 : 0) + (nodes > 1 ? 1 : 0); }
  // The inbox of a rank lies at the end of its arena.
  std::size_t inbox_offset() const;

  static constexpr std::uint32_t least_teams = 64;
  static constexpr std::uint32_t most_teams = 65536;
  static constexpr std::size_t guard = 64 * 1024;
  static constexpr std::size_t system_size = 50 * 1024 * 1024;  // places for most_teams teams
  static constexpr std::size_t globals_offset = system_size;
};

// The heap begins at a boundary of huge pages, whatever globals lie before it.
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t heap_offset(std::size_t globals_size) {
  const std::size_t before = NodePlan::globals_offset + globals_size;
  return (before + huge_page - 1) / huge_page * huge_page;
}

// Where the heap begins if it is to lie on huge pages that were set aside: at one place for
// all programs, because they are laid there before the program is known. Nodes without such pages
// use the same place.
constexpr std::size_t huge_offset = heap_offset(std::size_t{1} << 30);

// Each rank sees its own arena begin at a multiple of this. So a block that is aligned on one rank
// is aligned on all, at the same offset.
inline constexpr std::size_t arena_alignment = std::size_t{1} << 30;

// An address where nothing else lives: above the shadow of AddressSanitizer, below programs and
// libraries. A wish only: a process that cannot have it maps the range elsewhere.
inline constexpr std::uintptr_t preferred_base = 0x2000'0000'0000;

// Strides as long as the memory of the machine, or shorter where address space is limited.
Result<NodePlan> plan_node(const NodeShare& share);

}  // namespace gondwana
