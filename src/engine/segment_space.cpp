#include "engine/segment_space.hpp"

#include <algorithm>
#include <cstring>

#include "core/mapping.hpp"

namespace gondwana {

namespace {

void clear(MutableBytes range) {
  if (!give_back_pages(range)) std::memset(range.data(), 0, range.size());
}

}  // namespace

SegmentSpace::SegmentSpace(MutableBytes space, std::size_t dirty)
    : space_(space), book_(space.size()) {
  if (dirty > 0) clear(space.first(std::min(round_up(dirty, page_size()), space.size())));
}

std::optional<MutableBytes> SegmentSpace::allocate(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  const auto block = book_.allocate(round_up(size, page_size()), page_size());
  if (!block) return std::nullopt;
  return space_.subspan(block->offset, block->size);
}

void SegmentSpace::release(MutableBytes range) {
  clear(range);
  const std::scoped_lock lock(mutex_);
  book_.release(static_cast<std::size_t>(range.data() - space_.data()));
}

std::size_t SegmentSpace::largest_free() const {
  const std::scoped_lock lock(mutex_);
  return book_.largest_free();
}

}  // namespace gondwana
