#include "engine/symmetric/heap_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/access_checkers.hpp"
#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "memory/layout.hpp"
#include "memory/remote_heap.hpp"

namespace gondwana {
namespace {

bool uses_huge_pages(const HeapRequest& request) {
  return request.options.hugetlb || request.memory.plan().huge > 0;
}

// The first byte that the program's variables leave free.
std::size_t end_of_globals(const HeapRequest& request) {
  return round_up(NodePlan::globals_offset + request.globals.size(), page_size());
}

// The bytes of the arena that the remote heap may use: a small part if address space is limited. It
// ends before the place of huge pages. Memcheck reads all of it.
std::size_t remote_heap_room(const HeapRequest& request) {
  constexpr std::size_t most_in_memcheck = std::size_t{16} << 20;
  if (runs_under_valgrind()) return most_in_memcheck;
  const std::size_t begin = end_of_globals(request);
  const std::size_t end = request.memory.plan().inbox_offset();
  const std::size_t room = begin < end ? end - begin : 0;
  const bool is_limited = RemoteHeap::extent(request.options.remote_heap) > room / 2;
  const std::size_t before_huge = huge_offset - std::min(begin + page_size(), huge_offset);
  return std::min(is_limited ? room / 8 : room / 2, uses_huge_pages(request) ? before_huge : room);
}

HeapPlace::Remote choose_remote_heap(const HeapRequest& request) {
  constexpr std::size_t granule = RemoteHeap::granule;
  const std::size_t fitting = remote_heap_room(request) / RemoteHeap::extent(granule) * granule;
  const std::size_t size = std::min(request.options.remote_heap / granule * granule, fitting);
  const std::size_t words = round_up(RemoteHeap::extent(size) - size, granule);
  return {.offset = end_of_globals(request) + words, .size = size};
}

// Huge pages have an offset that does not depend on the program. A page is left for the redzone
// before the heap.
Result<std::size_t> choose_heap_offset(const HeapRequest& request,
                                       const HeapPlace::Remote& remote) {
  const std::size_t before =
      remote.size == 0 ? request.globals.size()
                       : remote.offset + remote.size + page_size() - NodePlan::globals_offset;
  const std::size_t usual = heap_offset(before);
  if (!uses_huge_pages(request)) return usual;
  if (usual <= huge_offset) return huge_offset;
  return Error{Errc::out_of_memory,
               fmt::format("GONDWANA_HUGETLB: the {} of the program's global variables leave no "
                           "room below the heap; unset it",
                           format_size(request.globals.size()))};
}

// The bytes of an arena that its heap may use. A job on several nodes reserves some for the scratch
// of teams.
std::size_t heap_room(const NodeMemory& memory, std::size_t heap_at) {
  const std::size_t end = memory.plan().inbox_offset();
  const std::size_t room = heap_at < end ? end - heap_at : 0;
  if (memory.roster().node_slots() == 1) return room;
  constexpr std::size_t min_teams = 4;
  const std::size_t of_teams = min_teams * (2 + memory.roster().node_slots()) * scratch_of_team;
  return room - std::min(room, std::max(room / 16, std::min(room / 2, of_teams)));
}

// The arena after the heap, and after the huge pages if they end later.
MutableBytes space_after(const NodeMemory& memory, Rank rank, const HeapPlace& heap) {
  const std::size_t huge_end = heap.huge > 0 ? huge_offset + memory.plan().huge : 0;
  const std::size_t begin = std::max(round_up(heap.offset + heap.size, page_size()), huge_end);
  const std::size_t end = memory.plan().inbox_offset() / page_size() * page_size();
  return {memory.window(rank) + begin, begin < end ? end - begin : 0};
}

// Bytes of the space after the heap that may have been written.
std::size_t dirty_after(const NodeMemory& memory, Rank rank, MutableBytes space) {
  const Legacy& legacy = memory.page(rank).legacy;
  const std::uint64_t touched = std::max(legacy.touched.load(std::memory_order_relaxed),
                                         legacy.segments_end.load(std::memory_order_relaxed));
  const auto begin = static_cast<std::size_t>(space.data() - memory.window(rank));
  return begin < touched ? std::min<std::size_t>(touched - begin, space.size()) : 0;
}

// The memory per rank on the node with the least memory, if all ranks that may be added are on its
// host. Nodes that are added do not count, because all heaps have the same size.
std::size_t min_memory(const NodeMemory& memory) {
  const Roster& roster = memory.roster();
  const NodePlan& plan = memory.plan();
  std::size_t least = ~std::size_t{0};
  if (roster.node() < roster.first_nodes())
    least = usable_memory() / (plan.ranks + plan.added_ranks());
  for (std::uint32_t node = 0; node < roster.first_nodes(); ++node) {
    const NodeEntry& entry = memory.entry(node);
    if (entry.state.load(std::memory_order_acquire) == NodeState::known)
      least = std::min<std::size_t>(least, entry.info.memory);
  }
  return least;
}

Error heaps_exceed_memory(std::size_t heap, std::uint32_t ranks, std::size_t memory) {
  return {Errc::out_of_memory,
          fmt::format("a heap of {} on each of {} ranks needs {}, this node has {}; lower "
                      "GONDWANA_HEAP_SIZE to {}, or set GONDWANA_HEAP_OVERCOMMIT=1 if the ranks "
                      "will not use all of it",
                      format_size(heap), ranks, format_size(heap * ranks), format_size(memory),
                      format_size_option(memory / ranks))};
}

// The size that the user set, or half of the node's memory divided among its ranks, or an error.
Result<std::size_t> choose_heap_size(const HeapRequest& request, std::size_t heap_at) {
  const std::uint32_t ranks = request.memory.roster().slots();
  const std::size_t room = heap_room(request.memory, heap_at);
  const std::size_t memory = usable_memory();
  std::size_t heap = request.options.heap_size;
  if (heap == 0)
    heap = std::clamp(min_memory(request.memory) / 2, huge_page, std::max(room, huge_page));
  if (!request.options.heap_overcommit && heap > memory / ranks)
    return heaps_exceed_memory(heap, ranks, memory);
  if (heap > room) {
    return Error{Errc::out_of_memory,
                 fmt::format("a heap of {} does not fit: each of {} ranks has {} of address space "
                             "for it; lower GONDWANA_HEAP_SIZE or raise ulimit -v",
                             format_size(heap), ranks, format_size(room))};
  }
  return std::min(round_up(heap, heap_at == huge_offset ? huge_page : page_size()), room);
}

}  // namespace

Result<HeapPlace> choose_heap(const HeapRequest& request) {
  const HeapPlace::Remote remote = choose_remote_heap(request);
  const Result<std::size_t> offset = choose_heap_offset(request, remote);
  if (!offset) return offset.error();
  const Result<std::size_t> size = choose_heap_size(request, *offset);
  if (!size) return size.error();
  return HeapPlace{.offset = *offset,
                   .size = *size,
                   .huge = std::min(*size, request.memory.plan().huge),
                   .redzones = request.options.checks || has_address_sanitizer(),
                   .remote = remote};
}

std::size_t touched_before(const Legacy& legacy, const HeapPlace& heap) {
  const std::uint64_t touched = legacy.touched.load(std::memory_order_relaxed);
  const std::uint64_t segments = legacy.segments_begin.load(std::memory_order_relaxed);
  if (heap.offset + heap.size <= segments) return touched;
  return std::max(touched, legacy.segments_end.load(std::memory_order_relaxed));
}

SegmentSpace segments_after(const NodeMemory& memory, Rank rank, const HeapPlace& heap) {
  const MutableBytes space = space_after(memory, rank, heap);
  return SegmentSpace(space, dirty_after(memory, rank, space));
}

}  // namespace gondwana
