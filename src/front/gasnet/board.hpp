// The shared memory of a team: each member has a board in its own arena that all members read.
//
// Of a member out of reach they have a copy each, a mirror, in their own arenas. Who writes on its
// board sends what it wrote to all its mirrors (Team::tell_far), so that reading is the same
// everywhere. That suits a few nodes: each member sends to each rank of the other ones.
//
// Boards are kept when a team is gone, for later ones: a member that still waits for the last
// barrier of the old team looks at a line that only ever moves forward.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/engine.hpp"
#include "sync/team_sync.hpp"

namespace gondwana::gasnet {

// All zero is the valid initial state.
struct Board {
  static constexpr std::size_t size = std::size_t{1} << 20;  // sparse: untouched pages cost nothing
  static constexpr std::size_t control_offset = 16 * 1024;
  static constexpr std::size_t control_size = 48 * 1024;
  static constexpr std::size_t data_offset = control_offset + control_size;
  static constexpr std::size_t data_size = size - data_offset;
  static constexpr std::size_t record_size = 2048;

  SyncLine<RealAtomics> line;
  // What this member shows in an exchange; two, so that the next may begin while others still read.
  std::array<std::array<std::byte, record_size>, 2> records;

  // For the collectives of the team: words that begin as zero, and room for payload.
  std::byte* control() { return reinterpret_cast<std::byte*>(this) + control_offset; }
  std::byte* data() { return reinterpret_cast<std::byte*>(this) + data_offset; }
};
static_assert(sizeof(Board) <= Board::control_offset);

// The boards of a team as TeamSync wants them.
class BoardMembers {
 public:
  BoardMembers(const NodeMemory& memory, const std::vector<Board*>& boards,
               const std::vector<std::uint32_t>& processes)
      : memory_(&memory), boards_(&boards), processes_(&processes) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(boards_->size()); }
  SyncLine<RealAtomics>& line(std::uint32_t member) const { return (*boards_)[member]->line; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    constinit static Doorbell<RealAtomics> of_nobody{};
    const Rank process{(*processes_)[member]};
    return memory_->plan().holds(process) ? memory_->page(process).sync_bell : of_nobody;
  }

 private:
  const NodeMemory* memory_;
  const std::vector<Board*>* boards_;
  const std::vector<std::uint32_t>* processes_;
};

using BoardSync = TeamSync<RealAtomics, BoardMembers>;

}  // namespace gondwana::gasnet
