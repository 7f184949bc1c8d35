// The locations of the arrays of a large reduction, and their division into pieces.
//
// A source in memory that peers reach stays in place. Any other source, and every result, passes
// through its owner's area: two buffers for pieces of the source, two for pieces of the result. If
// single elements exceed a buffer, the whole array is copied to memory that peers reach.
#pragma once

#include <memory>
#include <optional>

#include "engine/collectives/common/parts.hpp"
#include "engine/collectives/staged/reduction.hpp"

namespace gondwana::staged {

// The arrays of a member that others read.
enum class Sharing : std::uint8_t { source, source_and_result };

class ReductionArrays {
 public:
  ReductionArrays(StagedTeam& team, CallName call, const Reduction& what, Sharing sharing);

  Round& round() { return round_; }
  const Reduction& what() const { return what_; }
  bool takes() const { return what_.flow.ends_at(round_.me()); }
  bool in_place() const { return takes() && what_.dest == what_.source; }

  // Returns false if it must be repeated. Others find the arrays when they see the next count.
  bool begin();
  void leave();

  std::size_t pieces() const { return pieces_; }
  std::size_t count(std::size_t piece) const;  // elements
  // The dest of the client, and the source of each member.
  std::byte* dest(std::size_t piece) const { return what_.dest + offset(piece); }
  const std::byte* source(std::uint32_t member, std::size_t piece) const;
  // Copies a piece of the source to where others read it, unless they read it in place.
  void stage(std::size_t piece);
  // The location of a member's part of the result, for others.
  std::byte* own_result(std::size_t piece) const;
  const std::byte* result(std::uint32_t member, std::size_t piece) const;

 private:
  static constexpr std::uint64_t nowhere = StagedTeam::nowhere;
  static constexpr std::size_t buffer_size = TeamScratch::area_size / 4 / cache_line * cache_line;

  class Copy;

  void find_source(StagedTeam& team, CallName call, Sharing sharing);
  void find_result(StagedTeam& team, CallName call);
  std::shared_ptr<Copy> make_copy(StagedTeam& team, CallName call) const;
  std::size_t offset(std::size_t piece) const;  // bytes
  std::byte* source_buffer(std::uint32_t member, std::size_t piece) const;
  std::byte* result_buffer(std::uint32_t member, std::size_t piece) const;

  Round round_;
  Reduction what_;
  std::size_t per_piece_;  // elements
  std::size_t pieces_;
  bool stages_ = false;          // stages pieces of the source
  bool is_overwritten_ = false;  // the source, before this member has read it
  std::uint64_t source_place_ = nowhere;
  std::uint64_t result_place_ = nowhere;
  std::shared_ptr<Copy> source_copy_;
  std::shared_ptr<Copy> result_copy_;
  std::optional<std::uint64_t> ticket_;  // turn for the area
};

}  // namespace gondwana::staged
