// Long arrays are combined in pieces, so that the private buffer for fetched data is small.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <vector>

#include "engine/collectives/reference/group.hpp"

namespace gondwana::reference {

// `count` elements of every member's arrays. `source` holds the member's own terms; `dest` holds
// partial and final results, which other members may fetch.
class Piece {
 public:
  // `scratch` has room for `count` fetched elements.
  Piece(Group& group, std::byte* dest, const std::byte* source, std::size_t count, ElementType type,
        std::byte* scratch)
      : group_(group),
        dest_(dest),
        source_(source),
        count_(count),
        type_(type),
        scratch_(scratch) {}

  Group& group() const { return group_; }
  std::byte* dest() const { return dest_; }
  const std::byte* source() const { return source_; }
  std::byte* scratch() const { return scratch_; }
  std::size_t count() const { return count_; }
  std::size_t size() const { return count_ * type_.size; }

  // Elements `begin` to `end` of this piece.
  Piece part(std::size_t begin, std::size_t end) const {
    const std::size_t offset = begin * type_.size;
    return {group_, dest_ + offset, source_ + offset, end - begin, type_, scratch_};
  }

  // The same piece with another dest.
  Piece into(std::byte* dest) const { return {group_, dest, source_, count_, type_, scratch_}; }

  void start_with_own_terms() const {
    if (dest_ != source_) copy_to_dest(source_);
  }
  void copy_to_dest(const std::byte* from) const {
    if (count_ > 0) std::memcpy(dest_, from, size());
  }
  void fetch_result(std::uint32_t member) const { group_.get(member, dest_, dest_, size()); }
  void fetch_to_scratch(std::uint32_t member, const std::byte* from) const {
    group_.get(member, scratch_, from, size());
  }
  // The fetched terms belong to members after those in `dest`, or before them.
  void append_scratch() const { type_.combine(dest_, dest_, scratch_, count_); }
  void prepend_scratch() const { type_.combine(dest_, scratch_, dest_, count_); }

 private:
  Group& group_;
  std::byte* dest_;
  const std::byte* source_;
  std::size_t count_;
  ElementType type_;
  std::byte* scratch_;
};

// Calls `use` with each piece of the arrays, in the same order on all members.
template <typename Use>
  requires std::invocable<Use, const Piece&>
void for_each_piece(Group& group, void* dest, const void* source, std::size_t count,
                    ElementType type, const Use& use) {
  constexpr std::size_t max_bytes = 256 * 1024;
  const std::size_t most = std::max<std::size_t>(1, max_bytes / type.size);
  std::vector<std::byte> scratch(std::min(count, most) * type.size);
  for (std::size_t begin = 0; begin < count; begin += most) {
    const std::size_t offset = begin * type.size;
    use(Piece(group, static_cast<std::byte*>(dest) + offset,
              static_cast<const std::byte*>(source) + offset, std::min(most, count - begin), type,
              scratch.data()));
  }
}

}  // namespace gondwana::reference
