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

namespace gondwana {

// The part of a job that a node holds: `ranks` ranks from `first` on.
struct NodeShare {
  std::uint32_t ranks = 0;
  std::uint32_t first = 0;
  std::uint32_t node = 0;  // its number
  std::uint32_t nodes = 1;
  std::uint32_t job_ranks = 0;  // on all nodes

  // Of a job on one node.
  static constexpr NodeShare whole(std::uint32_t ranks) { return {ranks, 0, 0, 1, ranks}; }
  bool holds(Rank rank) const { return index(rank) - first < ranks; }
  // The number of a rank that it holds, among those.
  std::uint32_t local(Rank rank) const { return index(rank) - first; }
};

struct NodePlan : NodeShare {
  std::size_t stride = 0;  // distance of two arenas; of whole huge pages
  // Bytes of each arena, from huge_offset on, that lie on huge pages which were set aside: a memfd
  // of their own for the node, a part of it for each rank in turn.
  std::size_t huge = 0;

  // Bytes of an arena that exist. What is left of the stride stays reserved: a guard.
  std::size_t arena_size() const { return stride - guard; }
  std::size_t range_size() const { return stride * ranks; }
  // Descriptors that the ranks of the node share besides the control memory: the arenas, the huge
  // pages of all where some were set aside, and where the job has several nodes an eventfd that
  // wakes their agent.
  std::uint32_t descriptors() const { return ranks + (huge > 0 ? 1 : 0) + (nodes > 1 ? 1 : 0); }
  // The inbox of a rank lies at the end of its arena.
  std::size_t inbox_offset() const;

  static constexpr std::size_t guard = 64 * 1024;
  static constexpr std::size_t system_size = 192 * 1024;
  static constexpr std::size_t globals_offset = system_size;
  // The bell that a put rings lies in the arena it puts to: one address computed, not two. Not at
  // the start of a page: processors take the look at it for a dependence on a store whose last 12
  // address bits are the same, and what users put to often begins at a page.
  static constexpr std::size_t data_bell_offset = 32 * 1024 + 0x40;
  // What must be the same on all ranks (RankFacts).
  static constexpr std::size_t facts_offset = 36 * 1024;
  // Where a rank says which of its segments peers may use.
  static constexpr std::size_t directory_offset = 40 * 1024;
  static constexpr std::size_t directory_size = 4 * 1024;
  // How messages reach a rank from other nodes (RankCard).
  static constexpr std::size_t rank_card_offset = directory_offset + directory_size;
  // Where a rank says which files lie over parts of its arena (ArenaFiles).
  static constexpr std::size_t files_offset = 48 * 1024;
  static constexpr std::size_t files_size = 4 * 1024;
  // Where the nodes of a team tell each other how far they are, and what they have of small
  // results.
  static constexpr std::size_t node_flags_offset = 64 * 1024;
  static constexpr std::size_t node_words_offset = 96 * 1024;
};

// The heap begins at a boundary of huge pages, whatever globals lie before it.
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t heap_offset(std::size_t globals_size) {
  const std::size_t before = NodePlan::globals_offset + globals_size;
  return (before + huge_page - 1) / huge_page * huge_page;
}

// Where the heap begins if it is to lie on huge pages that were set aside: at one place whatever
// the program, for who lays them there before the program is known, and on nodes that have none
// too.
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
