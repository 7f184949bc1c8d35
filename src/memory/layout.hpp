// The one map of what the processes of a job see in common memory, and its fingerprint.
//
// An arena begins with a system area, which has a place for each structure below. The control
// memory of a node is a sparse memfd, laid out as
//
//   NodeHeader | ControlPage of rank 0, 1, ... | sync lines of team 0, 1, ... | scratch of team 0,
//   1, ... | NodeEntry of node 0, 1, ... | addresses and keys of nodes | RelayPlace of rank 0, 1,
//   ... | BatchPlace of rank 0, 1, ... | TracePlace of rank 0, 1, ..., of the agent
//
// The ranks of the node are numbered from 0. There is an entry for each node of the job. Relay and
// batch places exist only in a job of several nodes, trace places only in a job that is traced.
//
// All zero is the valid initial state: nothing has to be written before the ranks start.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/structure_list.hpp"
#include "memory/arena_file.hpp"
#include "memory/armci_place.hpp"
#include "memory/batch_place.hpp"
#include "memory/control_page.hpp"
#include "memory/node_entry.hpp"
#include "memory/node_plan.hpp"
#include "memory/relay_place.hpp"
#include "memory/segment_directory.hpp"
#include "memory/team_scratch.hpp"
#include "memory/trace_place.hpp"
#include "sync/inbox_memory.hpp"
#include "sync/team_sync.hpp"

namespace gondwana {

// Numbers of teams that the program splits off, followed by those of the teams that serve sets.
inline constexpr std::uint32_t max_teams = 64;
inline constexpr std::uint32_t max_set_teams = 16;
inline constexpr std::uint32_t team_numbers = max_teams + max_set_teams;
static_assert(team_numbers <= ControlPage::most_teams);

// `count` places of `size` bytes, one after the other.
struct Area {
  std::size_t offset;
  std::size_t size;
  std::size_t count = 1;

  constexpr std::size_t at(std::size_t number) const { return offset + number * size; }
  constexpr std::size_t end() const { return at(count); }
};

// The system area of an arena.
namespace system_area {

// What the members of a team tell each other in collectives that are made of puts and gets.
inline constexpr Area team_flags{0, 512, team_numbers};
// The bell that a put rings lies in the arena it puts to: one address computed, not two. Not at
// the start of a page: processors take the look at it for a dependence on a store whose last 12
// address bits are the same, and what users put to often begins at a page.
inline constexpr Area data_bell{40 * 1024 + 0x40, sizeof(Doorbell<RealAtomics>)};
// What must be the same on all ranks.
inline constexpr Area facts{44 * 1024, sizeof(RankFacts)};
// Where a door tells which of its segments peers may use.
inline constexpr Area directory{48 * 1024, 4 * 1024 - 16};
// Where the ranks of all nodes count, at rank 0, how far they are with leaving.
inline constexpr Area exit_tallies{52 * 1024 - 16, 8, 2};
// How messages reach the rank from other nodes.
inline constexpr Area endpoint_info{52 * 1024, sizeof(EndpointInfo)};
// Which files lie over parts of the arena.
inline constexpr Area files{56 * 1024, 4 * 1024};
// Where a member has laid what it shows the others of a team on several nodes.
inline constexpr Area team_places{64 * 1024, sizeof(StagedPlace), team_numbers};
// What the members of a team are about to do, where calls are checked.
inline constexpr Area call_notes{68 * 1024, 256, max_teams};

// Where the ARMCI door of the rank has laid what its peers use.
inline constexpr Area armci_place{84 * 1024, sizeof(ArmciPlace)};

inline constexpr std::array all{team_flags,    data_bell, facts,       directory,  exit_tallies,
                                endpoint_info, files,     team_places, call_notes, armci_place};

constexpr bool is_disjoint() {
  return std::ranges::adjacent_find(all, [](const Area& one, const Area& next) {
           return one.end() > next.offset;
         }) == all.end();
}
static_assert(is_disjoint() && all.back().end() <= NodePlan::system_size);
static_assert(sizeof(ArenaFiles) <= files.size && sizeof(SegmentDirectory) <= directory.size);

}  // namespace system_area

// Where things lie in the control memory of a node with `ranks` ranks, in a job of `nodes` nodes.
class ControlLayout {
 public:
  static constexpr std::size_t header_size = 4096;
  static constexpr std::uint32_t max_teams = gondwana::max_teams;
  // Two halves per team and rank: a collective writes one while the slowest member still reads
  // the other. Sparse: costs nothing until a team reduces.
  static constexpr std::size_t scratch_half = 128 * 1024;

  // `ring_size`: of the events of a thread, in bytes; 0: the job is not traced.
  explicit constexpr ControlLayout(std::uint32_t ranks, std::uint32_t nodes = 1,
                                   std::size_t ring_size = 0)
      : ranks_(ranks), nodes_(nodes), ring_size_(ring_size) {}
  explicit constexpr ControlLayout(const NodeShare& share, std::size_t ring_size = 0)
      : ControlLayout(share.ranks, share.nodes, ring_size) {}
  explicit constexpr ControlLayout(const NodePlan& plan) : ControlLayout(plan, plan.ring_size) {}

  constexpr std::size_t page(std::uint32_t rank) const {
    return header_size + ControlPage::size * std::size_t{rank};
  }
  // Teams that share no member may have the same number: lines and scratch are the rank's.
  constexpr std::size_t line(std::uint32_t team, std::uint32_t rank) const {
    return page(ranks_) + (std::size_t{team} * ranks_ + rank) * cache_line;
  }
  constexpr std::size_t scratch(std::uint32_t team, std::uint32_t rank) const {
    return round_up(line(team_numbers, 0), header_size) +
           (std::size_t{team} * ranks_ + rank) * 2 * scratch_half;
  }
  constexpr std::size_t entry(std::uint32_t node) const {
    return scratch(team_numbers, 0) + node * sizeof(NodeEntry);
  }
  // Addresses and keys of all nodes, one after the other: sparse beyond what they have.
  constexpr std::size_t contacts() const { return entry(nodes_); }
  constexpr std::size_t relay(std::uint32_t rank) const {
    return round_up(contacts() + nodes_ * longest_contact, header_size) + rank * sizeof(RelayPlace);
  }
  constexpr std::size_t batches(std::uint32_t rank) const {
    return relay(ranks_) + rank * sizeof(BatchPlace);
  }
  // That of the agent has the number behind the ranks.
  constexpr std::size_t trace(std::uint32_t rank) const {
    return round_up(nodes_ > 1 ? batches(ranks_) : relay(0), header_size) +
           rank * TracePlace::size(ring_size_);
  }
  constexpr std::size_t size() const {
    return ring_size_ > 0 ? trace(ranks_ + 1) : nodes_ > 1 ? batches(ranks_) : relay(0);
  }

 private:
  static constexpr std::size_t longest_contact = NodeInfo::longest_address + NodeInfo::longest_key;

  std::uint32_t ranks_;
  std::uint32_t nodes_;
  std::size_t ring_size_;
};

static_assert(sizeof(NodeHeader) <= ControlLayout::header_size);

// Nothing else is placed in control memory or in a system area: a structure that is not in the list
// is not in the fingerprint, and does not compile.
using SharedStructures =
    StructureList<NodeHeader, ControlPage, SyncLine<RealAtomics>, NodeEntry, RelayPlace,
                  RecordRing::Head, BatchPlace, Doorbell<RealAtomics>, RankFacts, EndpointInfo,
                  ArenaFiles, InboxLayout::Channel, InboxLayout::Lock, SegmentDirectory,
                  TeamScratch, StagedPlace, ArmciPlace, TracePlace, TraceRing, StoredEvent>;

template <typename T>
concept SharedStructure = SharedStructures::has<T>;

template <SharedStructure T>
T& shared_at(std::byte* start, std::size_t offset) {
  return *reinterpret_cast<T*>(start + offset);  // NOLINT: all zero is a valid T
}

// Two builds in which this differs must not share memory: each would write where the other keeps
// something else. Evaluated once, in layout.cpp: it takes the compiler long.
extern const std::uint64_t memory_fingerprint;

}  // namespace gondwana
