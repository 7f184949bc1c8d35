#include "memory/remote_heap.hpp"

#include <algorithm>
#include <cstring>

#include "core/mapping.hpp"

namespace gondwana {
namespace {

constexpr std::uint64_t chunk_granules = 64 * 1024 / RemoteHeap::granule;
constexpr auto relaxed = std::memory_order_relaxed;

// The state of FreeBlocks::fresh.
constexpr std::uint64_t fresh_range(std::uint64_t first, std::uint64_t end) {
  return first | end << 32;
}
constexpr std::uint64_t first_of(std::uint64_t fresh) {
  return fresh & 0xffff'ffff;
}
constexpr std::uint64_t end_of(std::uint64_t fresh) {
  return fresh >> 32;
}

// Only whole pages can be given back.
void clear(MutableBytes range) {
  const auto address = reinterpret_cast<std::uintptr_t>(range.data());
  const std::size_t page = page_size();
  const std::size_t before = std::min(round_up(address, page) - address, range.size());
  const std::size_t pages = (range.size() - before) / page * page;
  if (pages == 0 || !give_back_pages(range.subspan(before, pages))) {
    std::memset(range.data(), 0, range.size());
    return;
  }
  std::memset(range.data(), 0, before);
  const MutableBytes after = range.subspan(before + pages);
  std::memset(after.data(), 0, after.size());
}

}  // namespace

void RemoteHeap::open(std::uint64_t offset, std::size_t size) {
  forget_blocks();
  state_.offset.store(offset, relaxed);
  state_.size.store(size / granule * granule, relaxed);
}

void RemoteHeap::clear_words() {
  clear({arena_ + words_offset(), extent(size()) - size()});
}

// The next heap may begin elsewhere, and other memory may lie here.
void RemoteHeap::forget_blocks() {
  const std::uint64_t granules = state_.used.load(relaxed);
  if (granules == 0) return;
  clear({arena_ + offset(), granules * granule});
  clear({arena_ + words_offset(), granules * sizeof(std::uint64_t)});
  std::memset(static_cast<void*>(&state_), 0, sizeof(state_));
}

std::uint64_t RemoteHeap::allocate(std::size_t size, BlockOwner owner) {
  if (size > this->size()) return 0;
  const std::uint64_t granules = std::max<std::uint64_t>((size + granule - 1) / granule, 1);
  const unsigned size_class = BlockClasses::holding(granules);
  std::uint64_t block = state_.free[size_class].list.pop(words());
  if (block == 0) [[unlikely]]
    block = take_fresh(size_class);
  if (block == 0) [[unlikely]]
    block = split_larger(size_class);
  if (block == 0) [[unlikely]]
    return 0;
  const std::uint64_t owned = static_cast<std::uint64_t>(owner) & owner_bits;
  word(block - 1).store(word_of(size_class, taken) | owned, relaxed);
  return offset() + (block - 1) * granule;
}

RemoteHeap::Release RemoteHeap::release(std::uint64_t offset) {
  const std::uint64_t at = offset - this->offset();
  if (at >= size()) return Release::outside;
  if (at % granule != 0) return Release::no_block;
  const std::uint64_t seen = word(at / granule).load(relaxed);
  if (seen == 0) return Release::no_block;
  if ((seen & taken) == 0) return Release::is_free;
  // Of two processes that free the block at once, one fails here.
  return make_free(at / granule, seen) ? Release::done : Release::is_free;
}

bool RemoteHeap::make_free(std::uint64_t granule_number, std::uint64_t seen) {
  const unsigned size_class = class_in(seen);
  if (!word(granule_number)
           .compare_exchange_strong(seen, word_of(size_class, free), relaxed, relaxed))
    return false;
  push(granule_number, size_class);
  return true;
}

bool RemoteHeap::take_back(std::uint32_t deaths, HasEnded has_ended) {
  if (deaths <= state_.ended.load(relaxed)) return false;
  const std::uint64_t used = std::min(state_.used.load(relaxed), size() / granule);
  for (std::uint64_t number = 0; number < used; ++number) {
    const std::uint64_t seen = word(number).load(relaxed);
    const auto owner = BlockOwner{seen & owner_bits};
    if ((seen & taken) != 0 && owner != BlockOwner::none && has_ended(owner))
      make_free(number, seen);
  }
  state_.ended.store(deaths, relaxed);  // only now: another process may search at the same time
  return true;
}

std::size_t RemoteHeap::unused() const {
  return size() - std::min<std::size_t>(state_.used.load(relaxed) * granule, size());
}

std::uint64_t RemoteHeap::take_fresh(unsigned size_class) {
  std::atomic<std::uint64_t>& fresh = state_.free[size_class].fresh;
  const std::uint64_t step = BlockClasses::size_of(size_class);
  std::uint64_t seen = fresh.load(relaxed);
  while (first_of(seen) < end_of(seen))
    if (fresh.compare_exchange_strong(seen, seen + step, relaxed, relaxed))
      return first_of(seen) + 1;
  return take_chunk(size_class, seen);
}

// Takes a block from a new chunk. The class keeps the rest, unless another process has also found
// it without a chunk (`seen`).
std::uint64_t RemoteHeap::take_chunk(unsigned size_class, std::uint64_t seen) {
  const std::uint64_t step = BlockClasses::size_of(size_class);
  const std::uint64_t chunk = std::max(step, chunk_granules / step * step);
  const std::uint64_t block = take_granules(chunk);
  if (block == 0) return chunk > step ? take_granules(step) : 0;
  const std::uint64_t end = block - 1 + chunk;
  std::uint64_t rest = block - 1 + step;
  if (rest < end && !state_.free[size_class].fresh.compare_exchange_strong(
                        seen, fresh_range(rest, end), relaxed, relaxed))
    for (; rest < end; rest += step) push(rest, size_class);
  return block;
}

std::uint64_t RemoteHeap::take_granules(std::uint64_t count) {
  const std::uint64_t all = size() / granule;
  std::uint64_t used = state_.used.load(relaxed);
  do
    if (count > all - used) return 0;
  while (!state_.used.compare_exchange_strong(used, used + count, relaxed, relaxed));
  return used + 1;
}

// Takes the smallest free block of a larger class, and frees the rest of it as smaller blocks.
std::uint64_t RemoteHeap::split_larger(unsigned size_class) {
  std::uint64_t block = 0;
  unsigned larger = size_class;
  while (block == 0 && ++larger < BlockClasses::count)
    block = state_.free[larger].list.pop(words());
  if (block == 0) return 0;
  std::uint64_t at = block - 1 + BlockClasses::size_of(size_class);
  std::uint64_t left = BlockClasses::size_of(larger) - BlockClasses::size_of(size_class);
  while (left > 0) {
    const unsigned part = BlockClasses::within(left);
    push(at, part);
    at += BlockClasses::size_of(part);
    left -= BlockClasses::size_of(part);
  }
  return block;
}

}  // namespace gondwana
