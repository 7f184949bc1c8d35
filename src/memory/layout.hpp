// The shared memory of the processes of a job. Each layer above has areas and structures of its own
// there; process/layout/shared_layout.cpp joins them all into one fingerprint.
//
// An arena begins with a system area, which has a place for each structure. The control memory of a
// node is a sparse memfd, laid out as
//
//   NodeHeader | DeathPlace of each rank of the job | RosterLog | ControlPage of rank 0, 1, ... |
//   ThreadSlots of rank 0, 1, ... | NodeEntry of node 0, 1, ... | addresses and keys of nodes |
//   RelayPlace of rank 0, 1, ... | BatchPlace of rank 0, 1, ... | TracePlace of rank 0, 1, ..., of
//   the agent | scratch of team 0, 1, ... | sync lines of team 0, 1, ... | ShrinkPlaces of team 0,
//   1, ... | ShownTeam of rank 0, 1, ..., by team
//
// The slots number the ranks of the node. There is an entry for each node of the job. Relay and
// batch places exist only in a job of several nodes, trace places only in a traced job. The parts
// that depend on the number of teams come last, so others need not know that number.
//
// All zero is the valid initial state: nothing has to be written before the ranks start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/structure_list.hpp"
#include "memory/arena_file.hpp"
#include "memory/batch_place.hpp"
#include "memory/control_page.hpp"
#include "memory/kept_heap.hpp"
#include "memory/node_entry.hpp"
#include "memory/node_plan.hpp"
#include "memory/relay_place.hpp"
#include "memory/remote_heap.hpp"
#include "memory/roster_log.hpp"
#include "sync/inbox_memory.hpp"
#include "sync/team_shrink.hpp"
#include "sync/team_sync.hpp"

namespace gondwana {

// The most bytes in a member's arena for the collectives of a team on several nodes.
inline constexpr std::size_t scratch_of_team = std::size_t{3} << 19;

// `count` places of `size` bytes, one after the other.
struct Area {
  std::size_t offset;
  std::size_t size;
  std::size_t count = 1;

  constexpr std::size_t at(std::size_t number) const { return offset + number * size; }
  constexpr std::size_t end() const { return at(count); }
};

// The system area of an arena: the places of memory/ and the engine.
namespace system_area {

// For the process that replaces the rank.
inline constexpr Area kept_heap{0, sizeof(KeptHeap)};
// The bell that a put rings lies in the target arena: one address to compute, not two. It does not
// lie at the start of a page: processors assume that a load depends on a store with the same last
// 12 address bits, and targets often begin at a page.
inline constexpr Area data_bell{40 * 1024 + 0x40, sizeof(Doorbell<RealAtomics>)};
// Must be the same on all ranks.
inline constexpr Area facts{44 * 1024, sizeof(RankFacts)};
// The rank's address for messages from other nodes.
inline constexpr Area endpoint_info{52 * 1024, sizeof(EndpointInfo)};
// The files that lie over parts of the arena.
inline constexpr Area files{56 * 1024, 4 * 1024};
// The free blocks of the rank's remote heap.
inline constexpr Area remote_heap{96 * 1024, sizeof(RemoteHeapState)};

// By team number; sparse. What the team's members are about to call, if calls are checked.
inline constexpr Area call_notes{2048 * 1024, 256, NodePlan::max_teams};
// The members' state in collectives that consist of puts and gets.
inline constexpr Area team_flags{18 * 1024 * 1024, 512, NodePlan::max_teams};

static_assert(sizeof(ArenaFiles) <= files.size);
inline constexpr std::array areas{kept_heap, data_bell,   facts,      endpoint_info,
                                  files,     remote_heap, call_notes, team_flags};

}  // namespace system_area

// The places in the control memory of a node for up to `slots` ranks, in a job of up to `nodes`
// nodes.
class ControlLayout {
 public:
  static constexpr std::size_t header_size = 4096;
  // For the most ranks that a job may have, so that its place depends on nothing. Sparse.
  static constexpr std::size_t deaths_size = sizeof(DeathPlace) << rank_bits;
  static constexpr std::size_t log_size = sizeof(RosterEntry) * (RosterLog::capacity + 1);
  // The scratch has two halves per team and rank: a collective writes one while the slowest member
  // still reads the other. The memory is sparse: a team that never reduces costs nothing.
  static constexpr std::size_t scratch_half = 2048;
  // The bytes that a team needs for each rank of the node.
  static constexpr std::size_t size_of_team = 2 * scratch_half + 2 * cache_line + sizeof(ShownTeam);
  // The description of a rank's trace, before its rings.
  static constexpr std::size_t trace_head = 192 * 1024;
  static constexpr std::size_t trace_rings = 32;

  // `ring_size`: for the events of a thread, in bytes; 0: the job is not traced. `teams`: 0 if the
  // caller does not read parts of teams.
  explicit constexpr ControlLayout(std::uint32_t slots, std::uint32_t nodes = 1,
                                   std::size_t ring_size = 0, std::uint32_t teams = 0)
      : slots_(slots), nodes_(nodes), ring_size_(ring_size), teams_(teams) {}
  explicit constexpr ControlLayout(const NodeShare& share, std::size_t ring_size = 0,
                                   std::uint32_t teams = 0)
      : ControlLayout(share.slots(), share.node_slots(), ring_size, teams) {}
  explicit constexpr ControlLayout(const NodePlan& plan)
      : ControlLayout(plan, plan.ring_size, plan.teams) {}

  static constexpr std::size_t death(Rank rank) {
    return header_size + index(rank) * sizeof(DeathPlace);
  }
  static constexpr std::size_t log() { return header_size + deaths_size; }
  constexpr std::size_t page(std::uint32_t slot) const {
    return log() + log_size + ControlPage::size * std::size_t{slot};
  }
  constexpr std::size_t threads(std::uint32_t slot) const {
    return page(slots_) + slot * round_up(sizeof(ThreadSlots), header_size);
  }
  constexpr std::size_t entry(std::uint32_t node) const {
    return threads(slots_) + node * sizeof(NodeEntry);
  }
  // Addresses and keys of all nodes, one after the other; sparse after the last one.
  constexpr std::size_t contacts() const { return entry(nodes_); }
  constexpr std::size_t relay(std::uint32_t slot) const {
    return round_up(contacts() + nodes_ * longest_contact, header_size) + slot * sizeof(RelayPlace);
  }
  constexpr std::size_t batches(std::uint32_t slot) const {
    return relay(slots_) + slot * sizeof(BatchPlace);
  }
  // A rank's TracePlace and the rings of its threads, of `ring_size` bytes each.
  static constexpr std::size_t trace_size(std::size_t ring_size) {
    return round_up(trace_head + trace_rings * (cache_line + ring_size), header_size);
  }
  constexpr std::size_t trace(std::uint32_t slot) const {
    return round_up(nodes_ > 1 ? batches(slots_) : relay(0), header_size) +
           slot * trace_size(ring_size_);
  }
  // Follows the traces of the ranks.
  constexpr std::size_t trace_of_agent() const { return trace(slots_); }
  // Teams without common members may have the same number: lines and scratch belong to the rank.
  constexpr std::size_t scratch(std::uint32_t team, std::uint32_t slot) const {
    return round_up(ring_size_ > 0 ? trace(slots_ + 1) : trace(0), header_size) +
           (std::size_t{team} * slots_ + slot) * 2 * scratch_half;
  }
  constexpr std::size_t line(std::uint32_t team, std::uint32_t slot) const {
    return scratch(teams_, 0) + (std::size_t{team} * slots_ + slot) * cache_line;
  }
  constexpr std::size_t shrink(std::uint32_t team, std::uint32_t slot) const {
    return line(teams_, 0) + (std::size_t{team} * slots_ + slot) * cache_line;
  }
  constexpr std::size_t shown_team(std::uint32_t slot, std::uint32_t team) const {
    return shrink(teams_, 0) + (std::size_t{slot} * teams_ + team) * sizeof(ShownTeam);
  }
  constexpr std::size_t size() const { return shown_team(slots_, 0); }

 private:
  static constexpr std::size_t longest_contact = NodeInfo::longest_address + NodeInfo::longest_key;

  std::uint32_t slots_;
  std::uint32_t nodes_;
  std::size_t ring_size_;
  std::uint32_t teams_;
};

static_assert(sizeof(NodeHeader) <= ControlLayout::header_size);

using MemoryStructures =
    StructureList<NodeHeader, DeathPlace, RosterEntry, ControlPage, ThreadSlots, ShownTeam,
                  SyncLine<RealAtomics>, ShrinkPlace<RealAtomics>, NodeEntry, RelayPlace,
                  RecordRing::Head, BatchPlace, Doorbell<RealAtomics>, RankFacts, EndpointInfo,
                  ArenaFiles, RemoteHeapState, KeptHeap, InboxLayout::Channel, InboxLayout::Lock>;

// Everything in control memory or an arena is in the list of a layer. A structure that is in no
// list does not compile, because the fingerprint would not cover it.
template <typename T>
inline constexpr bool is_shared = false;
template <ListedIn<MemoryStructures> T>
inline constexpr bool is_shared<T> = true;

template <typename T>
concept SharedStructure = is_shared<T>;

template <SharedStructure T>
T& shared_at(std::byte* start, std::size_t offset) {
  return *reinterpret_cast<T*>(start + offset);  // NOLINT: all zero is a valid T
}

// Two builds with different numbers must not share memory, because their layouts differ.
extern const std::uint64_t memory_fingerprint;

}  // namespace gondwana
