// Collectives that move data: broadcast, scatter, gather, gather-all and exchange differ only in
// shape. Members take data, in rank order, from where its owner publishes it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/collectives/staged/round.hpp"

namespace gondwana::staged {

struct Movement {
  Flow flow;
  bool apart;         // a source holds a block for each member; otherwise one block for all
  std::size_t block;  // bytes
  const std::byte* source;
  std::byte* dest;

  // A member that takes its own block already has it.
  bool is_in_place() const { return !apart && flow.from && source == dest; }
  std::size_t source_size(std::uint32_t members) const { return apart ? members * block : block; }
  // Offsets of a member's block in every source, and of a member's data in the dest.
  std::size_t source_offset(std::uint32_t taker) const { return apart ? taker * block : 0; }
  std::size_t dest_offset(std::uint32_t from) const { return flow.from ? 0 : from * block; }
};

class SmallMovement {
 public:
  static constexpr Turn depth = TeamScratch::depth;

  explicit SmallMovement(const Movement& what) : what_(what) {}

  Flow flow() const { return what_.flow; }
  void lay(const Round& round) const;
  StagedTeam::Written written(const Round& round, std::uint32_t member) const;
  void take(const Round& round) const;

 private:
  Movement what_;
};

// Between members on separate nodes: the owner sends each member its block directly from the
// source.
class PushedMovement {
 public:
  static constexpr Turn depth = TeamScratch::pushed_depth;

  explicit PushedMovement(const Movement& what) : what_(what) {}

  Flow flow() const { return what_.flow; }
  static void lay(const Round& /*round*/) {}
  StagedTeam::Written written(const Round& round, std::uint32_t member) const;
  void take(const Round& round) const;

 private:
  Movement what_;
};

// A step that moves pieces. A source that its peers can address stays in place and is available at
// once. Any other source is staged in its owner's area, a few pieces ahead. Gets fetch pieces from
// other nodes.
class LargeMovement {
 public:
  LargeMovement(StagedTeam& team, CallName call, const Movement& what);

  bool advance();

 private:
  // Gets from a member on another node. Each get is posted alone, for all published pieces.
  struct Fetch {
    std::size_t asked = 0;  // pieces
    std::unique_ptr<Completion> posted = nullptr;
  };

  // How blocks are cut into pieces.
  struct Cut {
    std::size_t stride = 0;   // bytes of a block per piece, except in the last
    std::size_t pieces = 0;   // pieces of each block
    std::size_t buffers = 0;  // slots in the area, each for one piece of all blocks
  };

  Cut cut() const;
  bool begin();
  bool stage();
  void stage_piece(std::size_t piece, std::uint32_t block);
  bool take();
  void tell_taken(std::size_t pieces);
  bool is_complete() const;
  std::size_t blocks() const { return what_.apart ? round_.size() : 1; }
  std::size_t piece_size(std::size_t piece) const;
  std::size_t take_from(std::uint32_t member);
  std::size_t fetch_from(std::uint32_t member);
  bool post(std::uint32_t member, Fetch& fetch, std::size_t until);
  // The address of a piece for this member: in its owner's arena, or in this process.
  std::uint64_t offset_of_piece(std::uint32_t member, std::size_t piece) const;
  const std::byte* piece_of(std::uint32_t member, std::size_t piece) const;
  std::byte* dest_of(std::uint32_t member, std::size_t piece) const {
    return what_.dest + what_.dest_offset(member) + piece * cut_.stride;
  }
  // The offset in its owner's area at which a piece of a block is staged.
  std::size_t buffer_of(std::size_t piece, std::size_t block) const {
    return (piece % cut_.buffers * blocks() + block) * cut_.stride;
  }
  std::size_t slowest_taker() const;

  Round round_;
  CallName call_;
  Movement what_;
  Cut cut_;
  std::uint64_t place_ = StagedTeam::nowhere;  // the source's offset
  std::optional<std::uint64_t> ticket_;        // turn for the area, if pieces are staged there
  bool begun_ = false;
  std::size_t shown_ = 0;           // pieces
  std::vector<std::size_t> taken_;  // pieces taken from each member
  std::vector<Fetch> fetches_;      // by member; empty if all members are within reach
  std::size_t all_taken_ = 0;
};

// Whether a payload is sent to other nodes without a copy in its owner's scratch. `part`: its bytes
// for one member.
inline bool is_pushed(const StagedTeam& team, std::size_t size, std::size_t part) {
  return team.is_scattered() && size > CollectiveSlot::payload_size &&
         part <= TeamScratch::pushed_size;
}

// Returns what `use` returns for the step that suits this size.
template <typename Use>
auto with_step(StagedTeam& team, CallName call, const Movement& what, const Use& use) {
  const std::size_t size = what.source_size(team.size());
  if (is_pushed(team, size, what.block)) return use(OneRound(team, PushedMovement(what)));
  if (size <= TeamScratch::small_size) return use(OneRound(team, SmallMovement(what)));
  return use(LargeMovement(team, call, what));
}

}  // namespace gondwana::staged
