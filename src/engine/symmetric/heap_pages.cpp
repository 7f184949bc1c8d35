#include "engine/symmetric/heap_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/access_checkers.hpp"
#include "core/mapping.hpp"

namespace gondwana {

HeapPages::HeapPages(std::shared_ptr<const NodeMemory> memory, Rank rank, const HeapPlace& heap,
                     std::size_t touched, std::size_t redzone_before)
    : memory_(std::move(memory)),
      rank_(rank),
      offset_(heap.offset),
      bytes_(memory_->window(rank) + heap.offset, heap.size),
      huge_(heap.huge),
      redzone_before_(redzone_before),
      touched_(touched - std::min(touched, offset_)) {
  if (runs_under_valgrind()) forbid(0, bytes_.size());
  memory_->forbid_access(rank_, offset_ - redzone_before_, redzone_before_);
}

// The next engine may use this memory differently, and later other memory may have these addresses.
// With AddressSanitizer only blocks and the redzone before the heap are marked.
HeapPages::~HeapPages() {
  if (has_address_sanitizer()) {
    memory_->allow_access(rank_, offset_ - redzone_before_, redzone_before_);
    allow(0, touched_);
  }
  if (runs_under_valgrind()) forbid(0, bytes_.size());
}

void HeapPages::allow(std::size_t offset, std::size_t size) const {
  memory_->allow_access(rank_, offset_ + offset, size);
}

void HeapPages::forbid(std::size_t offset, std::size_t size) const {
  memory_->forbid_access(rank_, offset_ + offset, size);
}

void HeapPages::touch(std::size_t end) {
  touched_ = std::max(touched_, end);
  if (dumps_ && touched_ > dumped_) dump_touched();
}

void HeapPages::begin_dumps() {
  dumps_ = true;
  if (touched_ > 0) dump_touched();
}

// Works in large steps, because each is a system call.
void HeapPages::dump_touched() {
  const std::size_t end = std::min(round_up(touched_, huge_page), bytes_.size());
  const std::size_t pages = end / page_size() * page_size();
  if (::madvise(bytes_.data(), pages, MADV_DODUMP) == 0) dumped_ = end;
}

// Memory that was never allocated reads as zero. This does not commit it.
void HeapPages::clear(std::size_t offset, std::size_t size) {
  if (offset >= touched_) return;
  std::byte* start = bytes_.data() + offset;
  const std::size_t dirty = std::min(size, touched_ - offset);
  const Span clean = give_back(offset, dirty);
  std::memset(start, 0, clean.begin);
  std::memset(start + clean.end, 0, dirty - clean.end);
}

HeapPages::Span HeapPages::give_back(std::size_t offset, std::size_t size) const {
  if (size < page_worthy || offset < huge_) return {};
  std::byte* start = bytes_.data() + offset;
  const std::size_t page = page_size();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t begin = round_up(address, page) - address;
  const std::size_t end = (address + size) / page * page - address;
  if (begin >= end || !give_back_pages({start + begin, end - begin})) return {};
  return {begin, end};
}

}  // namespace gondwana
