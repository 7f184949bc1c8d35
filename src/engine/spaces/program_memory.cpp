#include "engine/spaces/program_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/mapping.hpp"
#include "engine/spaces/page_backing.hpp"
#include "spaces/kinds/pinned_memory.hpp"

namespace gondwana {
namespace {

// The unit of address space that is reserved around a small block.
constexpr std::size_t neighborhood = std::size_t{16} << 20;

// Maps shared pages a second time, over [address, address + pages.size()).
bool map_also_at(std::byte* address, MutableBytes pages) {
  return ::mremap(pages.data(), 0, pages.size(), MREMAP_MAYMOVE | MREMAP_FIXED, address) == address;
}

// Replaces the pages by private memory with the same contents. False: the pages are unchanged.
bool map_private(std::byte* address, MutableBytes pages) {
  void* copy =
      ::mmap(nullptr, pages.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  copy_to_zero_pages(static_cast<std::byte*>(copy), pages);
  return ::mremap(copy, pages.size(), pages.size(), MREMAP_MAYMOVE | MREMAP_FIXED, address) ==
         address;
}

bool contains(Bytes whole, Bytes part) {
  return whole.data() <= part.data() && part.data() + part.size() <= whole.data() + whole.size();
}
bool overlap(Bytes one, Bytes other) {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

MutableBytes range(std::byte* begin, std::byte* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::byte* end_of(MutableBytes memory) {
  return memory.data() + memory.size();
}

std::byte* rounded_down(std::byte* address, std::size_t step) {
  return address - reinterpret_cast<std::uintptr_t>(address) % step;
}

}  // namespace

ProgramMemory::ProgramMemory(const NodeMemory& memory, SegmentSpace& space, Rank me)
    : space_(space), files_(memory, space, me), window_(memory.window(me)) {}

// The next engine of this process starts with an empty arena.
ProgramMemory::~ProgramMemory() {
  for (Span& span : spans_) {
    for (std::uint32_t& uses : span.uses) uses = std::min(uses, 1U);
    release(span, 0, span.uses.size());
  }
}

std::size_t ProgramMemory::Span::first_page(MutableBytes pages) const {
  return static_cast<std::size_t>(pages.data() - program.data()) / page_size();
}

bool ProgramMemory::Span::has_used(MutableBytes pages) const {
  const MutableBytes common =
      range(std::max(pages.data(), program.data()), std::min(end_of(pages), end_of(program)));
  const auto first = uses.begin() + static_cast<std::ptrdiff_t>(first_page(common));
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(common.size() / page_size()),
                     [](std::uint32_t times) { return times > 0; });
}

void ProgramMemory::Span::shrink_from(MutableBytes pages) {
  const auto is_used = [](std::uint32_t times) { return times > 0; };
  const auto first = std::ranges::find_if(uses, is_used) - uses.begin();
  const std::byte* first_used = program.data() + static_cast<std::size_t>(first) * page_size();
  if (pages.data() > first_used) {  // all pages in use are below
    uses.resize(first_page(pages));
  } else {
    const auto above = static_cast<std::size_t>(end_of(pages) - program.data());
    uses.erase(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(above / page_size()));
    program = program.subspan(above);
    arena = arena.subspan(above);
  }
  program = program.first(uses.size() * page_size());
  arena = arena.first(program.size());
}

ProgramPages ProgramMemory::Span::pages(std::size_t first, std::size_t count) const {
  const std::size_t at = first * page_size();
  const std::size_t size = count * page_size();
  return {program.subspan(at, size), arena.subspan(at, size)};
}

Result<ProgramPages> ProgramMemory::give(MutableBytes pages, Room room) {
  const std::scoped_lock lock(mutex_);
  const bool is_new = std::ranges::none_of(spans_, [&](const Span& each) {
    return overlap(each.program, pages) && each.has_used(pages);
  });
  if (is_new) {
    Result<PageBacking> backing = examine_pages(pages);
    if (!backing) return backing.error();
    if (backing->file) return show(pages, *std::move(backing));
  }
  const Result<Span*> found = span_for(pages, room);
  if (!found) return found.error();
  Span& span = **found;
  const std::size_t first = span.first_page(pages);
  const std::size_t end = first + pages.size() / page_size();
  for (std::size_t page = first; page < end; ++page) {
    if (span.uses[page] > 0) continue;
    std::size_t unused = page;
    while (unused < end && span.uses[unused] == 0) ++unused;
    const Result<void> moved = move(span, page, unused);
    if (!moved) {
      // Moves back the pages that this call has moved and that nothing uses yet. Ignores the
      // others.
      for (std::size_t before = first; before < page; ++before)
        if (span.uses[before] == 0) move_back(span, before, before + 1);
      forget_if_unused(span);
      return moved.error();
    }
    page = unused - 1;
  }
  for (std::size_t page = first; page < end; ++page) ++span.uses[page];
  return span.pages(first, end - first);
}

// The address space around `pages` that is reserved for neighbors. A span can grow only upwards, so
// more is reserved below.
std::optional<MutableBytes> ProgramMemory::widest_gap(MutableBytes pages) const {
  std::byte* begin = rounded_down(pages.data(), neighborhood) - neighborhood;
  std::byte* end = rounded_down(end_of(pages) - 1, neighborhood) + neighborhood;
  for (const Span& each : spans_) {
    if (end_of(each.program) <= pages.data()) begin = std::max(begin, end_of(each.program));
    if (each.program.data() >= end_of(pages)) end = std::min(end, each.program.data());
  }
  const MutableBytes gap = range(begin, end);
  if (gap.size() > space_.largest_free() / 16) return std::nullopt;
  return gap;
}

// Extends the span to pages that overlap it and end after it.
bool ProgramMemory::extend(Span& span, MutableBytes pages) {
  if (pages.data() < span.program.data()) return false;
  const MutableBytes whole = range(span.program.data(), end_of(pages));
  const auto before = static_cast<std::size_t>(span.arena.data() - span.block.data());
  if (before + whole.size() > span.block.size() &&
      !space_.extend(span.block, before + whole.size()))
    return false;
  span.program = whole;
  span.arena = span.block.subspan(before, whole.size());
  span.uses.resize(whole.size() / page_size());
  return true;
}

Result<ProgramMemory::Span*> ProgramMemory::span_for(MutableBytes pages, Room room) {
  std::vector<Span*> others;
  for (Span& each : spans_) {
    if (contains(each.program, pages)) return &each;
    if (!overlap(each.program, pages)) continue;
    if (each.has_used(pages))
      others.push_back(&each);
    else
      each.shrink_from(pages);
  }
  if (others.size() == 1 && extend(*others.front(), pages)) return others.front();
  if (!others.empty()) {
    const Span& other = *others.front();
    return Error{Errc::invalid_argument,
                 fmt::format("{} bytes at {} share a page with {} bytes at {} that peers already "
                             "reach; start each on its own page",
                             pages.size(), fmt::ptr(pages.data()), other.program.size(),
                             fmt::ptr(other.program.data()))};
  }
  MutableBytes wanted = pages;
  if (room == Room::neighbors && pages.size() <= neighborhood)
    wanted = widest_gap(pages).value_or(pages);
  const std::optional<MutableBytes> arena = space_.allocate(wanted.size());
  if (!arena)
    return Error{Errc::out_of_memory,
                 fmt::format("cannot share {} of the program's memory with peers: only {} are "
                             "free; lower GONDWANA_HEAP_SIZE",
                             format_size(pages.size()), format_size(space_.largest_free()))};
  return &spans_.emplace_back(
      Span{wanted, *arena, std::vector<std::uint32_t>(wanted.size() / page_size()), *arena});
}

Result<ProgramPages> ProgramMemory::show(MutableBytes pages, PageBacking backing) {
  const Result<ShownFiles::Placement> placement =
      files_.show(std::move(backing.file), backing.from, pages.size());
  if (!placement) return placement.error();
  return ProgramPages{pages, {window_ + placement->offset, pages.size()}, placement->number};
}

Result<void> ProgramMemory::move(Span& span, std::size_t first, std::size_t end) {
  const ProgramPages pages = span.pages(first, end - first);
  const Result<PageBacking> backing = examine_pages(pages.program);
  if (!backing) return backing.error();
  if (backing->file)
    return Error{Errc::invalid_argument,
                 fmt::format("{} bytes at {}: part of it is shared memory (MAP_SHARED)",
                             pages.program.size(), fmt::ptr(pages.program.data()))};
  if (has_pinned(pages.program))
    return Error{Errc::invalid_argument,
                 fmt::format("{} bytes at {}: a part of it is pinned for a device, as by "
                             "cudaHostRegister(), whose driver would not see that its pages are "
                             "replaced; give it to peers first and pin it afterwards",
                             pages.program.size(), fmt::ptr(pages.program.data()))};
  copy_to_zero_pages(pages.arena.data(), pages.program);
  if (map_also_at(pages.program.data(), pages.arena)) return {};
  return Error{Errc::refused, fmt::format("memory at {} cannot be shared: {}",
                                          fmt::ptr(pages.program.data()), std::strerror(errno))};
}

// The program may have unmapped the pages, and other memory may be at their address now.
void ProgramMemory::move_back(Span& span, std::size_t first, std::size_t end) {
  const ProgramPages pages = span.pages(first, end - first);
  if (!are_same_pages(pages.program, pages.arena) || map_private(pages.program.data(), pages.arena))
    give_back_pages(pages.arena);
}

void ProgramMemory::forget_if_unused(Span& span) {
  if (std::ranges::any_of(span.uses, [](std::uint32_t uses) { return uses > 0; })) return;
  space_.release(span.block);
  spans_.remove_if([&](const Span& each) { return &each == &span; });
}

void ProgramMemory::take_back(const ProgramPages& given) {
  const std::scoped_lock lock(mutex_);
  if (given.file) return files_.withdraw(*given.file);
  const auto span = std::ranges::find_if(
      spans_, [&](const Span& each) { return contains(each.program, given.program); });
  if (span == spans_.end()) return;
  const std::size_t first = span->first_page(given.program);
  release(*span, first, first + given.program.size() / page_size());
  forget_if_unused(*span);
}

// Decrements the use count of each page.
void ProgramMemory::release(Span& span, std::size_t first, std::size_t end) {
  for (std::size_t page = first; page < end; ++page) {
    std::size_t last = page;
    while (last < end && span.uses[last] == 1) span.uses[last++] = 0;
    if (last > page) {
      move_back(span, page, last);
      page = last - 1;
    } else if (span.uses[page] > 0) {
      --span.uses[page];
    }
  }
}

// Takes no lock, because only the forking thread exists in the child.
void ProgramMemory::make_private() const {
  for (const Span& span : spans_)
    for (std::size_t page = 0; page < span.uses.size(); ++page) {
      std::size_t last = page;
      while (last < span.uses.size() && span.uses[last] > 0) ++last;
      if (last == page) continue;
      const ProgramPages pages = span.pages(page, last - page);
      map_private(pages.program.data(), pages.program);
      page = last;
    }
}

}  // namespace gondwana
