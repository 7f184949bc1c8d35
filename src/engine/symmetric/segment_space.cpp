#include "engine/symmetric/segment_space.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/access_checkers.hpp"
#include "core/mapping.hpp"

namespace gondwana {

namespace {

// Memcheck forbids access to free memory and does not search it for pointers.
void allow(MutableBytes range) {
  if (runs_under_valgrind()) allow_access(range.data(), range.size());
}

void clear_and_forbid(MutableBytes range) {
  allow(range);
  if (!give_back_pages(range)) std::memset(range.data(), 0, range.size());
  if (runs_under_valgrind()) forbid_access(range.data(), range.size());
}

}  // namespace

SegmentSpace::SegmentSpace(MutableBytes space, std::size_t dirty)
    : space_(space),
      dirty_(std::min(round_up(dirty, page_size()), space.size())),
      book_(space.size()) {}

void SegmentSpace::clear_dirty() {
  if (dirty_ > 0) clear_and_forbid(space_.first(std::exchange(dirty_, 0)));
}

std::optional<MutableBytes> SegmentSpace::allocate(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  const auto block = book_.allocate(round_up(size, page_size()), page_size());
  if (!block) return std::nullopt;
  used_ = std::max(used_, block->offset + block->size);
  const MutableBytes range = space_.subspan(block->offset, block->size);
  allow(range);
  return range;
}

bool SegmentSpace::extend(MutableBytes& range, std::size_t size) {
  const std::scoped_lock lock(mutex_);
  const auto offset = static_cast<std::size_t>(range.data() - space_.data());
  const std::size_t whole = round_up(size, page_size());
  if (!book_.resize(offset, whole)) return false;
  used_ = std::max(used_, offset + whole);
  allow(space_.subspan(offset, whole).subspan(range.size()));
  range = space_.subspan(offset, whole);
  return true;
}

void SegmentSpace::release(MutableBytes range) {
  clear_and_forbid(range);
  const std::scoped_lock lock(mutex_);
  book_.release(static_cast<std::size_t>(range.data() - space_.data()));
}

MutableBytes SegmentSpace::used() const {
  const std::scoped_lock lock(mutex_);
  return space_.first(used_);
}

std::size_t SegmentSpace::largest_free() const {
  const std::scoped_lock lock(mutex_);
  return book_.largest_free();
}

}  // namespace gondwana
