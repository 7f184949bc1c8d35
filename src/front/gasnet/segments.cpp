#include "front/gasnet/segments.hpp"

#include <algorithm>
#include <chrono>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/parse.hpp"
#include "core/print_error.hpp"
#include "process/prefault.hpp"

namespace gondwana::gasnet {
namespace {

// The part of `room` that is reserved for teams when a segment has the maximum size.
std::size_t kept_for_teams(std::size_t room, std::size_t of_each) {
  constexpr std::size_t least = std::size_t{64} << 20;
  constexpr std::size_t teams = 16;
  return std::max(least, std::min(teams * of_each, room / 4));
}

// The time that a call waits for peers to unmap device memory. A peer unmaps when it waits or uses
// a device.
constexpr std::chrono::seconds unmap_timeout{2};

template <typename Waiting, typename Done>
void wait_a_while(Waiting& progress, CallName call, const Done& done) {
  const auto end = std::chrono::steady_clock::now() + unmap_timeout;
  progress.wait(call, [&] { return done() || std::chrono::steady_clock::now() > end; });
}

// Memory of destroyed segments becomes free once no peer maps it.
template <typename Waiting>
Result<MutableBytes> allocate_on(Kind& device, std::size_t size, OwnSpaces& spaces,
                                 Waiting& progress) {
  Result<MutableBytes> memory = device.allocate(size);
  if (memory || memory.error().code != Errc::out_of_memory || spaces.reap()) return memory;
  wait_a_while(progress, "gex_Segment_Create", [&] { return spaces.reap(); });
  return device.allocate(size);
}

}  // namespace

std::size_t Segments::largest() const {
  const std::size_t room = engine_.segments().largest_free();
  const std::size_t kept = kept_for_teams(room, team_place_);
  const std::size_t most = std::min(room > kept ? room - kept : 0, max_);
  return most / page_size() * page_size();
}

Error Segments::no_room(std::size_t size) const {
  return {
      Errc::out_of_memory,
      fmt::format("cannot create a segment of {}: only {} are free for segments of this process",
                  format_size(size), format_size(largest()))};
}

std::uint64_t Segments::arena_offset(MutableBytes pages) const {
  return static_cast<std::uint64_t>(pages.data() - engine_.memory().window(engine_.rank()));
}

Result<gex_Segment_t> Segments::make(gex_Client_t client, void* address, std::size_t size) {
  auto segment = std::make_unique<gondwana_gex_segment>();
  segment->client = client;
  segment->size = size;
  segment->address = static_cast<std::byte*>(address);
  std::unique_lock lock(mutex_);
  if (const Result<void> placed = place(*segment); !placed) return placed.error();
  gex_Segment_t made = made_.emplace_back(std::move(segment)).get();
  lock.unlock();
  if (const Result<void> told = wait_for_agent(*made); !told) {
    destroy(made);
    return told.error();
  }
  return made;
}

Result<void> Segments::place(gondwana_gex_segment& segment) {
  if (segment.address == nullptr) return allocate(segment);
  const auto offset = shared_offset(segment);
  if (!offset) return take_over(segment);
  segment.offset = *offset;
  return {};
}

Result<void> Segments::allocate(gondwana_gex_segment& segment) {
  const std::optional<MutableBytes> pages = engine_.segments().allocate(segment.size);
  if (!pages) return no_room(segment.size);
  if (const Result<void> there = prefault(engine_, *pages); !there) {
    engine_.segments().release(*pages);
    return there.error();
  }
  segment.pages = std::make_shared<SegmentPages>(*pages, *pages);
  segment.address = pages->data();
  segment.size = pages->size();
  segment.offset = arena_offset(*pages);
  return {};
}

// Finds client memory that peers already reach: symmetric variables, the symmetric heap, or pages
// of another segment. The new segment then shares these pages.
std::optional<std::size_t> Segments::shared_offset(gondwana_gex_segment& segment) const {
  const Bytes memory(segment.address, segment.size);
  const auto holds = [&](Bytes whole) {
    const auto at = static_cast<std::size_t>(memory.data() - whole.data());
    return at < whole.size() && memory.size() <= whole.size() - at;
  };
  for (const auto& other : made_) {
    const auto& pages = other->pages;
    if (pages == nullptr || !holds(pages->program)) continue;
    segment.pages = pages;
    return arena_offset(pages->arena) +
           static_cast<std::size_t>(memory.data() - pages->program.data());
  }
  const SymmetricRanges& symmetric = engine_.symmetric().ranges();
  if (const std::size_t at = symmetric.offset_in_globals(memory.data(), memory.size());
      at != SymmetricRanges::nowhere)
    return at;
  const std::byte* window = engine_.memory().window(engine_.rank());
  const Bytes arena(window, engine_.memory().plan().inbox_offset());
  if (holds(arena.subspan(NodePlan::system_size)))
    return static_cast<std::size_t>(memory.data() - window);
  return std::nullopt;
}

// Takes over whole pages, including everything else in them.
Result<void> Segments::take_over(gondwana_gex_segment& segment) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(segment.address) % page_size();
  if (segment.size > largest()) return no_room(segment.size);
  const Result<ProgramPages> pages = engine_.program_memory().give(
      {segment.address - before, round_up(before + segment.size, page_size())},
      ProgramMemory::Room::exact);
  if (!pages) return pages.error();
  segment.pages = std::make_shared<SegmentPages>(*pages);
  segment.offset = arena_offset(pages->arena) + before;
  return {};
}

// If the program shortens the file of a segment, a peer that touches the lost part dies, as the
// client would. The node agent's message names the owner of the file. The agent writes on behalf of
// ranks of other nodes, and these may write once they know the segment.
Result<void> Segments::wait_for_agent(const gondwana_gex_segment& segment) {
  if (segment.pages == nullptr || !segment.pages->file) return {};
  const std::size_t file = *segment.pages->file;
  ShownFiles& files = engine_.program_memory().files();
  progress_.wait("gex_Segment_Create", [&] { return files.has_reached_agent(file); });
  if (!files.is_refused_by_agent(file)) return {};
  return Error{Errc::refused,
               fmt::format("{} bytes at {} are shared memory (MAP_SHARED) that the node agent "
                           "cannot map: it is not allowed to open descriptors of this process; use "
                           "private memory, or pass a null address",
                           segment.size, fmt::ptr(segment.address))};
}

Result<gex_Segment_t> Segments::make_on_device(gex_MK_t kind, void* address, std::size_t size) {
  auto segment = std::make_unique<gondwana_gex_segment>();
  segment->client = kind->client;
  segment->address = static_cast<std::byte*>(address);
  segment->size = size;
  segment->kind = kind;
  if (address == nullptr) {
    const Result<MutableBytes> memory =
        allocate_on(*kind->device, size, engine_.spaces(), progress_);
    if (!memory) return memory.error();
    segment->is_own = true;
    segment->address = memory->data();
  } else if (!kind->device->holds({segment->address, size})) {
    return Error{Errc::invalid_argument, fmt::format("{} bytes at {} are not memory of {}", size,
                                                     address, name_of(kind->device->device()))};
  }
  std::unique_lock lock(mutex_);
  // The space begins on a cache line, so that words have the same alignment in it as in the
  // segment. Device allocations are at least cache-line aligned.
  segment->offset = reinterpret_cast<std::uintptr_t>(segment->address) % cache_line;
  const Result<SpaceId> space = engine_.spaces().add(
      *kind->device, {segment->address - segment->offset, segment->offset + size});
  if (!space) {
    if (segment->is_own) kind->device->release(segment->address);
    return space.error();
  }
  segment->space = *space;
  ++kind->segments;
  gex_Segment_t made = made_.emplace_back(std::move(segment)).get();
  lock.unlock();
  progress_.wait("gex_Segment_Create", [&] { return engine_.spaces().has_reached_agent(*space); });
  if (!engine_.spaces().is_refused_by_agent(*space)) return made;
  destroy(made);
  return Error{
      Errc::refused,
      fmt::format("the node agent cannot access memory of {}, which ranks of other nodes need: it "
                  "lacks the device, or may not open the memory that this process shares",
                  name_of(kind->device->device()))};
}

gex_Segment_t Segments::make_of_everything(gex_Client_t client) {
  auto segment = std::make_unique<gondwana_gex_segment>();
  segment->client = client;
  segment->address = nullptr;
  segment->size = ~std::size_t{0};
  segment->offset = gondwana_gex_segment::unreachable;
  const std::scoped_lock lock(mutex_);
  return made_.emplace_back(std::move(segment)).get();
}

// Afterwards the client may free memory that it provided.
void Segments::destroy(gex_Segment_t segment) {
  const std::optional<SpaceId> space = segment->is_own ? std::nullopt : segment->space;
  const void* address = segment->address;
  {
    const std::scoped_lock lock(mutex_);
    give_back(*segment);
    made_.remove_if([&](const auto& held) { return held.get() == segment; });
  }
  if (!space) return;
  OwnSpaces& spaces = engine_.spaces();
  wait_a_while(progress_, "gex_Segment_Destroy", [&] { return !spaces.is_mapped(*space); });
  spaces.reap();
  if (!spaces.is_mapped(*space)) return;
  print_error(
      "gondwana: warning: rank {}: gex_Segment_Destroy: a peer still maps the device memory at {}, "
      "because it neither waits nor uses a device; free it after a barrier\n",
      index(engine_.rank()), address);
}

// The last segment that shares the pages releases them.
void Segments::give_back(const gondwana_gex_segment& segment) {
  if (segment.space) {
    if (segment.is_own)
      engine_.spaces().remove(*segment.space, *segment.kind->device, segment.address);
    else
      engine_.spaces().remove(*segment.space);
    --segment.kind->segments;
    return;
  }
  if (segment.pages.use_count() != 1) return;
  const SegmentPages& pages = *segment.pages;
  if (pages.program.data() == pages.arena.data()) return engine_.segments().release(pages.arena);
  engine_.program_memory().take_back(pages);
}

}  // namespace gondwana::gasnet
