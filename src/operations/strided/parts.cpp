#include "operations/strided/parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/assert.hpp"
#include "operations/strided/copy.hpp"

namespace gondwana::strided {
namespace {

struct Division {
  std::size_t quotient;
  std::size_t remainder;
};

// Positions are mostly small, and a 32-bit division takes half as long as a 64-bit one.
Division divide(std::size_t dividend, std::size_t divisor) {
  GONDWANA_ASSERT(divisor != 0, dividend);
  if ((dividend | divisor) >> 32 != 0) return {dividend / divisor, dividend % divisor};
  const auto small_dividend = static_cast<std::uint32_t>(dividend);
  const auto small_divisor = static_cast<std::uint32_t>(divisor);
  return {small_dividend / small_divisor, small_dividend % small_divisor};
}

// Traverses a range of the packed bytes as boxes: the rest of each dimension, then whole boxes of
// the next one, and back down. A dimension has at most two boxes.
class Walk {
 public:
  Walk(std::span<const Dimension> dimensions, std::size_t position);

  // Copies the next `size` bytes. The base addresses are at offset 0 for position 0.
  void copy(std::byte* target, std::ptrdiff_t target_offset, const std::byte* source,
            std::ptrdiff_t source_offset, std::size_t size);

 private:
  std::size_t level_of_box(std::size_t size) const;
  void advance(std::size_t level, std::size_t count);
  void move_along(std::size_t level, std::ptrdiff_t count);

  std::span<const Dimension> dimensions_;
  std::array<std::size_t, Transfer::max_dimensions + 1> index_;
  std::array<std::size_t, Transfer::max_dimensions + 1> volume_;  // bytes of one step
  std::ptrdiff_t target_ = 0;
  std::ptrdiff_t source_ = 0;
};

Walk::Walk(std::span<const Dimension> dimensions, std::size_t position) : dimensions_(dimensions) {
  std::size_t volume = 1;
  for (std::size_t level = 0; level < dimensions.size(); ++level) {
    const std::size_t extent = dimensions[level].extent;
    volume_[level] = volume;
    volume *= extent;
    const Division step = divide(position, extent);
    index_[level] = step.remainder;
    position = step.quotient;
    move_along(level, static_cast<std::ptrdiff_t>(index_[level]));
  }
}

void Walk::move_along(std::size_t level, std::ptrdiff_t count) {
  target_ += count * dimensions_[level].target;
  source_ += count * dimensions_[level].source;
}

// The outermost dimension in which a whole step comes next.
std::size_t Walk::level_of_box(std::size_t size) const {
  std::size_t level = 0;
  while (index_[level] == 0 && level + 1 < dimensions_.size() && volume_[level + 1] <= size)
    ++level;
  return level;
}

void Walk::advance(std::size_t level, std::size_t count) {
  index_[level] += count;
  move_along(level, static_cast<std::ptrdiff_t>(count));
  while (index_[level] == dimensions_[level].extent && level + 1 < dimensions_.size()) {
    move_along(level, -static_cast<std::ptrdiff_t>(index_[level]));
    index_[level] = 0;
    ++index_[++level];
    move_along(level, 1);
  }
}

void Walk::copy(std::byte* target, std::ptrdiff_t target_offset, const std::byte* source,
                std::ptrdiff_t source_offset, std::size_t size) {
  std::array<Dimension, Transfer::max_dimensions + 1> box;
  std::ranges::copy(dimensions_, box.begin());
  while (size > 0) {
    const std::size_t level = level_of_box(size);
    const std::size_t count =
        std::min(dimensions_[level].extent - index_[level], divide(size, volume_[level]).quotient);
    box[level].extent = count;
    copy_box({box.data(), level + 1}, target + (target_offset + target_),
             source + (source_offset + source_));
    box[level].extent = dimensions_[level].extent;
    size -= count * volume_[level];
    advance(level, count);
  }
}

}  // namespace

std::size_t part_size(const Transfer& transfer, std::size_t position, std::size_t limit) {
  const std::size_t left = transfer.bytes() - position;
  if (limit >= left) return left;
  const std::size_t within_piece = divide(position + limit, transfer.piece()).remainder;
  const std::size_t cut = transfer.piece() <= cache_line ? within_piece : within_piece % cache_line;
  return cut < limit ? limit - cut : limit;
}

void pack(const Transfer& packing, const std::byte* source, std::size_t position,
          MutableBytes part) {
  Walk(packing.dimensions(), position)
      .copy(part.data(), -static_cast<std::ptrdiff_t>(position), source,
            packing.offset(End::source), part.size());
}

void unpack(const Transfer& unpacking, std::byte* target, std::size_t position, Bytes part) {
  Walk(unpacking.dimensions(), position)
      .copy(target, unpacking.offset(End::target), part.data(),
            -static_cast<std::ptrdiff_t>(position), part.size());
}

}  // namespace gondwana::strided
