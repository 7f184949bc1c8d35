#include "memory/heap.hpp"

#include <algorithm>
#include <iterator>

#include "core/types.hpp"

namespace gondwana {
namespace {

// The bytes that a request takes; nothing if it exceeds any heap.
std::optional<std::size_t> granules(std::size_t size, std::size_t capacity) {
  if (size > capacity) return std::nullopt;
  return std::max(round_up(size, Heap::granule), Heap::granule);
}

}  // namespace

Heap::Heap(std::size_t capacity, std::size_t origin)
    : capacity_(capacity / granule * granule), origin_(origin) {
  if (capacity_ > 0) insert_free(0, capacity_);
}

std::optional<Heap::Block> Heap::allocate(std::size_t size, std::size_t alignment) {
  const auto need = granules(size, capacity_);
  if (!need || alignment > origin_ + capacity_) return std::nullopt;
  // Tries every large enough block, smallest first: alignment may not fit in the first.
  for (auto fit = by_size_.lower_bound({*need, 0}); fit != by_size_.end(); ++fit) {
    const auto [free_size, free_offset] = *fit;
    const std::size_t offset =
        round_up(origin_ + free_offset, std::max(alignment, granule)) - origin_;
    if (offset - free_offset > free_size - *need) continue;
    take(offset, *need);
    return Block{offset, *need};
  }
  return std::nullopt;
}

std::optional<Heap::Block> Heap::allocate_at(std::size_t offset, std::size_t size) {
  if (size == 0 || offset % granule != 0 || size % granule != 0) return std::nullopt;
  const auto after = free_.upper_bound(offset);
  if (after == free_.begin()) return std::nullopt;
  const auto [start, length] = *std::prev(after);
  if (offset - start >= length || size > length - (offset - start)) return std::nullopt;
  take(offset, size);
  return Block{offset, size};
}

std::optional<Heap::Block> Heap::release(std::size_t offset) {
  const auto block = taken_.find(offset);
  if (block == taken_.end()) return std::nullopt;
  const std::size_t size = block->second;
  taken_.erase(block);
  used_ -= size;
  insert_free(offset, size);
  return Block{offset, size};
}

bool Heap::resize(std::size_t offset, std::size_t size) {
  const auto block = taken_.find(offset);
  const auto need = granules(size, capacity_);
  if (block == taken_.end() || !need) return false;
  const std::size_t have = block->second;
  if (*need > have) {
    const auto after = free_.find(offset + have);
    if (after == free_.end() || after->second < *need - have) return false;
    const std::size_t rest = after->second - (*need - have);
    erase_free(after);
    if (rest > 0) insert_free(offset + *need, rest);
  } else if (*need < have) {
    insert_free(offset + *need, have - *need);
  }
  used_ += *need - have;
  block->second = *need;
  return true;
}

std::optional<Heap::Block> Heap::find(std::size_t offset) const {
  const auto block = taken_.find(offset);
  if (block == taken_.end()) return std::nullopt;
  return Block{offset, block->second};
}

std::optional<Heap::Block> Heap::find_any() const {
  const auto block = taken_.begin();
  if (block == taken_.end()) return std::nullopt;
  return Block{block->first, block->second};
}

void Heap::insert_free(std::size_t offset, std::size_t size) {
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      erase_free(before);
    }
  }
  if (after != free_.end() && offset + size == after->first) {
    size += after->second;
    erase_free(after);
  }
  free_.emplace(offset, size);
  by_size_.emplace(size, offset);
}

void Heap::erase_free(std::map<std::size_t, std::size_t>::iterator block) {
  by_size_.erase({block->second, block->first});
  free_.erase(block);
}

void Heap::take(std::size_t offset, std::size_t size) {
  const auto block = std::prev(free_.upper_bound(offset));
  const auto [start, length] = *block;
  erase_free(block);
  if (offset > start) insert_free(start, offset - start);
  const std::size_t end = offset + size;
  if (start + length > end) insert_free(end, start + length - end);
  taken_.emplace(offset, size);
  used_ += size;
}

}  // namespace gondwana
