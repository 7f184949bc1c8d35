#include "engine/symmetric/symmetric_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/access_checkers.hpp"
#include "core/mapping.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {
namespace {

// Blocks of at least this size give back their pages when freed, which clears them.
constexpr std::size_t page_worthy = std::size_t{256} * 1024;

constexpr std::size_t largest_redzone = 4096;

// The redzone after a block; larger blocks get larger redzones.
std::size_t redzone_of(std::size_t size) {
  return std::clamp(size / 8, Heap::granule, largest_redzone);
}

}  // namespace

SymmetricMemory::SymmetricMemory(std::shared_ptr<const NodeMemory> memory, Rank rank,
                                 MutableBytes globals, const HeapPlace& heap, std::size_t touched)
    : memory_(std::move(memory)),
      rank_(rank),
      ranges_{.arena = reinterpret_cast<std::uintptr_t>(memory_->window(rank)),
              .length = heap.offset + heap.size - NodePlan::system_size,
              .globals = globals},
      offset_(heap.offset),
      heap_(memory_->window(rank) + heap.offset, heap.size),
      huge_(heap.huge),
      redzones_(heap.redzones),
      redzone_before_(heap.redzones ? std::min(offset_ - NodePlan::globals_offset - globals.size(),
                                               largest_redzone)
                                    : 0),
      book_(heap.size, heap.offset),
      touched_(touched - std::min(touched, offset_)) {
  if (runs_under_valgrind()) forbid(0, heap_.size());
  memory_->forbid_access(rank_, offset_ - redzone_before_, redzone_before_);
}

// The next engine may use this memory differently, and later other memory may have these addresses.
// With AddressSanitizer only blocks and the redzone before the heap are marked.
SymmetricMemory::~SymmetricMemory() {
  if (has_address_sanitizer()) {
    memory_->allow_access(rank_, offset_ - redzone_before_, redzone_before_);
    allow(0, touched_);
  }
  if (runs_under_valgrind()) forbid(0, heap_.size());
}

void SymmetricMemory::allow(std::size_t offset, std::size_t size) const {
  memory_->allow_access(rank_, offset_ + offset, size);
}

void SymmetricMemory::forbid(std::size_t offset, std::size_t size) const {
  memory_->forbid_access(rank_, offset_ + offset, size);
}

// Adds a redzone after the block, unless the heap has no space for it.
std::optional<Heap::Block> SymmetricMemory::take(std::size_t size, std::size_t alignment) {
  if (redzones_ && size <= heap_.size())
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
  allow(block.offset, asked);
  forbid(block.offset + asked, block.size - asked);
  touched_ = std::max(touched_, block.offset + block.size);
  if (dumps_ && touched_ > dumped_) dump_touched();
  return heap_.data() + block.offset;
}

void SymmetricMemory::dump_blocks() {
  const std::scoped_lock lock(mutex_);
  dumps_ = true;
  if (touched_ > 0) dump_touched();
}

// Works in large steps, because each is a system call.
void SymmetricMemory::dump_touched() {
  const std::size_t end = std::min(round_up(touched_, huge_page), heap_.size());
  const std::size_t pages = end / page_size() * page_size();
  if (::madvise(heap_.data(), pages, MADV_DODUMP) == 0) dumped_ = end;
}

std::optional<std::string> SymmetricMemory::doubt_about(const void* address,
                                                        std::size_t size) const {
  const std::size_t offset = heap_offset_of(address);
  if (offset >= heap_.size()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  const auto next = asked_.upper_bound(offset);
  if (next != asked_.begin()) {
    const auto [start, asked] = *std::prev(next);
    const std::size_t at = offset - start;
    if (at <= asked && size <= asked - at) return std::nullopt;
    if (at < book_.find(start)->size)
      return fmt::format("{} B starting at byte {} exceed the block of {} B at {}", size, at, asked,
                         fmt::ptr(heap_.data() + start));
  }
  std::string nearest;
  if (next != asked_.begin()) {
    const auto [start, asked] = *std::prev(next);
    nearest = fmt::format("; the block of {} B at {} ends {} B before it", asked,
                          fmt::ptr(heap_.data() + start), offset - start - asked);
  }
  return fmt::format("{} B are in no block of the symmetric heap: {}{}", size,
                     offset < touched_ ? "the block was freed, or there never was one"
                                       : "nothing was ever allocated there",
                     nearest);
}

void* SymmetricMemory::allocate_zeroed(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  if (size == 0) return nullptr;
  const auto block = take(size);
  if (!block) return nullptr;
  allow(block->offset, block->size);
  clear(block->offset, block->size);
  return hand_out(*block, size);
}

// Memory that was never allocated reads as zero. This does not commit it.
void SymmetricMemory::clear(std::size_t offset, std::size_t size) {
  if (offset >= touched_) return;
  std::byte* start = heap_.data() + offset;
  const std::size_t dirty = std::min(size, touched_ - offset);
  const Span clean = give_back(offset, dirty);
  std::memset(start, 0, clean.begin);
  std::memset(start + clean.end, 0, dirty - clean.end);
}

// Returns the whole pages of a block to the system. They then read as zero. Returns the range of
// these pages.
SymmetricMemory::Span SymmetricMemory::give_back(std::size_t offset, std::size_t size) const {
  if (size < page_worthy || offset < huge_) return {};
  std::byte* start = heap_.data() + offset;
  const std::size_t page = page_size();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t begin = round_up(address, page) - address;
  const std::size_t end = (address + size) / page * page - address;
  if (begin >= end || !give_back_pages({start + begin, end - begin})) return {};
  return {begin, end};
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
  const std::size_t redzone = redzones_ && size <= heap_.size() ? redzone_of(size) : 0;
  if (!before || !book_.resize(offset, size + redzone)) return false;
  const std::size_t after = book_.find(offset)->size;
  if (after < before->size) forbid(offset + after, before->size - after);
  return true;
}

bool SymmetricMemory::release(void* block) {
  const std::scoped_lock lock(mutex_);
  const auto freed = book_.release(heap_offset_of(block));
  if (!freed) return false;
  asked_.erase(freed->offset);
  give_back(freed->offset, freed->size);
  forbid(freed->offset, freed->size);
  return true;
}

void SymmetricMemory::release_all() {
  const std::scoped_lock lock(mutex_);
  while (const auto block = book_.find_any()) {
    book_.release(block->offset);
    give_back(block->offset, block->size);
    forbid(block->offset, block->size);
  }
  asked_.clear();
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
  return offset_ + touched_;
}

std::optional<Rank> SymmetricMemory::rank_at(const void* address) const {
  return memory_->rank_at(address);
}

std::string SymmetricMemory::describe() const {
  const auto range = [](MutableBytes bytes) {
    return fmt::format("{} to {}", fmt::ptr(bytes.data()), fmt::ptr(bytes.data() + bytes.size()));
  };
  return fmt::format("the symmetric heap is {}, {}", range(heap_),
                     ranges_.globals.empty()
                         ? "the program's variables are not shared"
                         : "its global variables are " + range(ranges_.globals));
}

}  // namespace gondwana
