#include "engine/symmetric/symmetric_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "memory/node_plan.hpp"

namespace gondwana {
namespace {

constexpr std::size_t largest_redzone = 4096;

// The redzone after a block; larger blocks get larger redzones.
std::size_t redzone_of(std::size_t size) {
  return std::clamp(size / 8, Heap::granule, largest_redzone);
}

std::size_t redzone_before(const HeapPlace& heap, MutableBytes globals) {
  if (!heap.redzones) return 0;
  return std::min(heap.offset - NodePlan::globals_offset - globals.size(), largest_redzone);
}

}  // namespace

SymmetricMemory::SymmetricMemory(std::shared_ptr<const NodeMemory> memory, Rank rank,
                                 MutableBytes globals, const HeapPlace& heap, std::size_t touched)
    : memory_(std::move(memory)),
      rank_(rank),
      ranges_{.arena = reinterpret_cast<std::uintptr_t>(memory_->window(rank)),
              .length = heap.offset + heap.size - NodePlan::system_size,
              .globals = globals},
      redzones_(heap.redzones),
      pages_(memory_, rank, heap, touched, redzone_before(heap, globals)),
      book_(heap.size, heap.offset) {}

// Adds a redzone after the block, unless the heap has no space for it.
std::optional<Heap::Block> SymmetricMemory::take(std::size_t size, std::size_t alignment) {
  if (redzones_ && size <= heap().size())
    if (const auto block = book_.allocate(size + redzone_of(size), alignment)) return block;
  return book_.allocate(size, alignment);
}

void* SymmetricMemory::allocate(std::size_t size, std::size_t alignment) {
  const std::scoped_lock lock(mutex_);
  if (size == 0 || alignment > arena_alignment) return nullptr;
  const auto block = take(size, alignment);
  return block ? hand_out(*block, size) : nullptr;
}

// Records the requested size of the block at this offset.
void* SymmetricMemory::hand_out(Heap::Block block, std::size_t asked) {
  asked_[block.offset] = asked;
  if (kept_ != nullptr) kept_->add(block.offset, block.size, asked);
  pages_.allow(block.offset, asked);
  pages_.forbid(block.offset + asked, block.size - asked);
  pages_.touch(block.offset + block.size);
  return heap().data() + block.offset;
}

void SymmetricMemory::forget(std::size_t offset) {
  asked_.erase(offset);
  if (kept_ != nullptr) kept_->remove(offset);
}

void SymmetricMemory::keep_blocks() {
  const std::scoped_lock lock(mutex_);
  kept_ = &memory_->kept_heap(rank_);
}

// Others may still write to a block that is not known, so no later block may lie there.
Result<void> SymmetricMemory::restore_blocks() {
  keep_blocks();
  const Error unknown{Errc::refused,
                      "the blocks of the symmetric heap of the former process are not known: there "
                      "were too many, or the memory was damaged"};
  if (kept_->overflows.load(std::memory_order_relaxed) != 0) return unknown;
  const std::scoped_lock lock(mutex_);
  for (const KeptBlock& block : kept_->blocks) {
    const std::size_t size = block.size.load(std::memory_order_acquire);
    const std::size_t offset = block.offset.load(std::memory_order_relaxed);
    const std::size_t asked = block.asked.load(std::memory_order_relaxed);
    if (size == 0) continue;
    if (asked > size || !book_.allocate_at(offset, size)) return unknown;
    asked_[offset] = asked;
    pages_.allow(offset, asked);
    pages_.touch(offset + size);
  }
  return {};
}

void SymmetricMemory::dump_blocks() {
  const std::scoped_lock lock(mutex_);
  pages_.begin_dumps();
}

std::optional<std::string> SymmetricMemory::doubt_about(const void* address,
                                                        std::size_t size) const {
  const std::size_t offset = heap_offset_of(address);
  if (offset >= heap().size()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto next = asked_.upper_bound(offset);
  if (next != asked_.begin()) {
    const auto [start, asked] = *std::prev(next);
    const std::size_t at = offset - start;
    if (at <= asked && size <= asked - at) return std::nullopt;
    if (at < book_.find(start)->size)
      return fmt::format("{} B starting at byte {} exceed the block of {} B at {}", size, at, asked,
                         fmt::ptr(heap().data() + start));
  }
  std::string nearest;
  if (next != asked_.begin()) {
    const auto [start, asked] = *std::prev(next);
    nearest = fmt::format("; the block of {} B at {} ends {} B before it", asked,
                          fmt::ptr(heap().data() + start), offset - start - asked);
  }
  return fmt::format("{} B are in no block of the symmetric heap: {}{}", size,
                     offset < pages_.touched() ? "the block was freed, or there never was one"
                                               : "nothing was ever allocated there",
                     nearest);
}

void* SymmetricMemory::allocate_zeroed(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  if (size == 0) return nullptr;
  const auto block = take(size);
  if (!block) return nullptr;
  pages_.allow(block->offset, block->size);
  pages_.clear(block->offset, block->size);
  return hand_out(*block, size);
}

void* SymmetricMemory::resize(void* block, std::size_t size) {
  {
    const std::scoped_lock lock(mutex_);
    const std::size_t offset = heap_offset_of(block);
    if (resize_in_place(offset, size)) return hand_out(*book_.find(offset), size);
  }
  void* fresh = allocate(size, Heap::granule);
  if (fresh == nullptr) return nullptr;
  std::memcpy(fresh, block, std::min(size, asked_.at(heap_offset_of(block))));
  release(block);
  return fresh;
}

// Forbids access to the bytes that the block loses.
bool SymmetricMemory::resize_in_place(std::size_t offset, std::size_t size) {
  const auto before = book_.find(offset);
  const std::size_t redzone = redzones_ && size <= heap().size() ? redzone_of(size) : 0;
  if (!before || !book_.resize(offset, size + redzone)) return false;
  const std::size_t after = book_.find(offset)->size;
  if (after < before->size) pages_.forbid(offset + after, before->size - after);
  return true;
}

bool SymmetricMemory::release(void* block) {
  const std::scoped_lock lock(mutex_);
  const auto freed = book_.release(heap_offset_of(block));
  if (!freed) return false;
  forget(freed->offset);
  pages_.give_back(freed->offset, freed->size);
  pages_.forbid(freed->offset, freed->size);
  return true;
}

void SymmetricMemory::release_all() {
  const std::scoped_lock lock(mutex_);
  while (const auto block = book_.find_any()) {
    book_.release(block->offset);
    pages_.give_back(block->offset, block->size);
    pages_.forbid(block->offset, block->size);
  }
  asked_.clear();
  if (kept_ != nullptr) kept_->remove_all();
}

std::map<std::size_t, std::size_t> SymmetricMemory::blocks() const {
  const std::scoped_lock lock(mutex_);
  return asked_;
}

bool SymmetricMemory::adopt(std::size_t offset, std::size_t taken, std::size_t asked) {
  const std::scoped_lock lock(mutex_);
  const auto block = book_.allocate_at(offset, taken);
  if (block) hand_out(*block, asked);
  return block.has_value();
}

std::size_t SymmetricMemory::size_of(const void* block) const {
  const std::scoped_lock lock(mutex_);
  const auto found = book_.find(heap_offset_of(block));
  return found ? found->size : 0;
}

std::size_t SymmetricMemory::largest_free() const {
  const std::scoped_lock lock(mutex_);
  return book_.largest_free();
}

std::size_t SymmetricMemory::touched() const {
  const std::scoped_lock lock(mutex_);
  return pages_.touched_in_arena();
}

std::optional<Rank> SymmetricMemory::rank_at(const void* address) const {
  return memory_->rank_at(address);
}

std::string SymmetricMemory::describe() const {
  const auto range = [](MutableBytes bytes) {
    return fmt::format("{} to {}", fmt::ptr(bytes.data()), fmt::ptr(bytes.data() + bytes.size()));
  };
  return fmt::format("the symmetric heap is {}, {}", range(heap()),
                     ranges_.globals.empty()
                         ? "the program's variables are not shared"
                         : "its global variables are " + range(ranges_.globals));
}

}  // namespace gondwana
