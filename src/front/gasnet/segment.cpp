// Segments: memory of this process that peers may address. GASNet-EX 0.19, Operations on
// gex_Segment_t; Memory Kinds.
//
// All segments are in the arena of the rank, so that peers reach them by loads and stores. Private
// memory of the client moves to the arena: pages of the arena with the same contents replace its
// pages, at the same address. Shared memory of the client stays in its file, which every process
// maps over a part of the arena (engine/spaces).
#include <algorithm>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet/endpoint.h"
#include "gasnet/segment.h"
#include "gasnet/system.h"
#include "process/prefault.hpp"

namespace gondwana::gasnet {
namespace {

// The part of `room` that is reserved for teams when a segment has the maximum size.
std::size_t kept_for_teams(std::size_t room, std::size_t of_each) {
  constexpr std::size_t least = std::size_t{64} << 20;
  constexpr std::size_t teams = 16;
  return std::max(least, std::min(teams * of_each, room / 4));
}

Error no_room(const Door& door, std::size_t size) {
  return {Errc::out_of_memory,
          fmt::format("a segment of {}: {} are left for segments of this process",
                      format_size(size), format_size(door.most_local()))};
}

}  // namespace

std::size_t Door::most_local() const {
  const std::size_t room = engine_->segments().largest_free();
  const std::size_t kept = kept_for_teams(room, scratch_space_.size_of_place());
  const std::size_t most = std::min(room > kept ? room - kept : 0, settings_.largest_segment);
  return most / page_size() * page_size();
}

// Ranks of one node have equal heaps, so they have the same room. On several nodes, all ranks use
// the initial room of each rank, so that they agree on the result.
std::size_t Door::most_global() {
  if (engine_->rma().reaches_all()) return most_local();
  std::size_t least = directory(rank()).room.load(std::memory_order_relaxed);
  for (std::uint32_t process = 0; process < ranks(); ++process)
    if (!reaches(process))
      least = std::min<std::size_t>(
          least, remote_.directory(process)->room.load(std::memory_order_relaxed));
  return least;
}

// Finds memory of the client that peers reach already: symmetric variables, the symmetric heap, or
// pages of another segment. The new segment then shares these pages.
std::optional<std::size_t> Door::shared_offset(gondwana_gex_segment& segment) const {
  const Bytes memory(segment.address, segment.size);
  const auto holds = [&](Bytes whole) {
    const auto at = static_cast<std::size_t>(memory.data() - whole.data());
    return at < whole.size() && memory.size() <= whole.size() - at;
  };
  for (const auto& other : segments_) {
    const auto& pages = other->pages;
    if (pages == nullptr || !holds(pages->program)) continue;
    segment.pages = pages;
    return arena_offset(pages->arena) +
           static_cast<std::size_t>(memory.data() - pages->program.data());
  }
  const SymmetricRanges& symmetric = engine_->symmetric().ranges();
  if (const std::size_t at = symmetric.offset_in_globals(memory.data(), memory.size());
      at != SymmetricRanges::nowhere)
    return at;
  const std::byte* window = engine_->memory().window(engine_->rank());
  const Bytes arena(window, engine_->memory().plan().inbox_offset());
  if (holds(arena.subspan(NodePlan::system_size)))
    return static_cast<std::size_t>(memory.data() - window);
  return std::nullopt;
}

std::uint64_t Door::arena_offset(MutableBytes pages) const {
  return static_cast<std::uint64_t>(pages.data() - engine_->memory().window(engine_->rank()));
}

Result<gex_Segment_t> Door::make_segment(void* address, std::size_t size) {
  auto segment = std::make_unique<gondwana_gex_segment>();
  segment->client = client_.get();
  segment->size = size;
  segment->address = static_cast<std::byte*>(address);
  std::unique_lock lock(mutex_);
  if (address == nullptr) {
    const std::optional<MutableBytes> pages = engine_->segments().allocate(size);
    if (!pages) return no_room(*this, size);
    if (const Result<void> there = prefault(*engine_, *pages); !there) {
      engine_->segments().release(*pages);
      return there.error();
    }
    segment->pages = std::make_shared<SegmentPages>(*pages, *pages);
    segment->address = pages->data();
    segment->size = pages->size();
    segment->offset = arena_offset(*pages);
  } else if (const auto offset = shared_offset(*segment)) {
    segment->offset = *offset;
  } else if (const Result<void> taken = take_over(*segment); !taken) {
    return taken.error();
  }
  gex_Segment_t made = segments_.emplace_back(std::move(segment)).get();
  lock.unlock();
  if (const Result<void> told = wait_for_agent(*made); !told) {
    destroy(made);
    return told.error();
  }
  return made;
}

Result<gex_Segment_t> Door::make_device_segment(gex_MK_t kind, void* address, std::size_t size) {
  auto segment = std::make_unique<gondwana_gex_segment>();
  segment->client = client_.get();
  segment->address = static_cast<std::byte*>(address);
  segment->size = size;
  segment->kind = kind;
  if (address == nullptr) {
    const Result<MutableBytes> memory = kind->device->allocate(size);
    if (!memory) return memory.error();
    segment->is_own = true;
    segment->address = memory->data();
  } else if (!kind->device->holds({segment->address, size})) {
    return Error{Errc::invalid_argument, fmt::format("{} bytes at {} are not memory of {}", size,
                                                     address, name_of(kind->device->device()))};
  }
  std::unique_lock lock(mutex_);
  // The space begins with a line, so that words are as aligned in it as in the segment. Allocations
  // on devices are at least as aligned.
  segment->offset = reinterpret_cast<std::uintptr_t>(segment->address) % cache_line;
  const Result<SpaceId> space = engine_->spaces().add(
      *kind->device, {segment->address - segment->offset, segment->offset + size});
  if (!space) {
    if (segment->is_own) kind->device->release(segment->address);
    return space.error();
  }
  segment->space = *space;
  ++kind->segments;
  gex_Segment_t made = segments_.emplace_back(std::move(segment)).get();
  lock.unlock();
  wait("gex_Segment_Create", [&] { return engine_->spaces().has_reached_agent(*space); });
  if (!engine_->spaces().is_refused_by_agent(*space)) return made;
  destroy(made);
  return Error{Errc::refused,
               fmt::format("the node agent does not reach memory of {}, and ranks of other nodes "
                           "need it to: it has no such device, or may not open what this process "
                           "shares",
                           name_of(kind->device->device()))};
}

gex_Segment_t Door::make_segment_of_everything() {
  auto segment = std::make_unique<gondwana_gex_segment>();
  segment->client = client_.get();
  segment->address = nullptr;
  segment->size = ~std::size_t{0};
  segment->offset = gondwana_gex_segment::unreachable;
  const std::scoped_lock lock(mutex_);
  return segments_.emplace_back(std::move(segment)).get();
}

// Takes over whole pages, with everything else that they contain.
Result<void> Door::take_over(gondwana_gex_segment& segment) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(segment.address) % page_size();
  if (segment.size > most_local()) return no_room(*this, segment.size);
  const Result<ProgramPages> pages = engine_->program_memory().give(
      {segment.address - before, round_up(before + segment.size, page_size())},
      ProgramMemory::Room::exact);
  if (!pages) return pages.error();
  segment.pages = std::make_shared<SegmentPages>(*pages);
  segment.offset = arena_offset(pages->arena) + before;
  return {};
}

// If the program shortens the file of a segment, a peer that touches the lost part dies, as the
// client would. The node agent names the owner of the file in its message.
// The agent writes for ranks of other nodes, and these may write once they know the segment.
Result<void> Door::wait_for_agent(const gondwana_gex_segment& segment) {
  if (segment.pages == nullptr || !segment.pages->file) return {};
  const std::size_t file = *segment.pages->file;
  ShownFiles& files = engine_->program_memory().files();
  wait("gex_Segment_Create", [&] { return files.has_reached_agent(file); });
  if (!files.is_refused_by_agent(file)) return {};
  return Error{Errc::refused,
               fmt::format("{} bytes at {} are shared memory (MAP_SHARED) that the node agent "
                           "cannot map: it is not allowed to open descriptors of this process; use "
                           "private memory, or pass a null address",
                           segment.size, fmt::ptr(segment.address))};
}

void Door::destroy(gex_Segment_t segment) {
  const std::scoped_lock lock(mutex_);
  if (segment->space) {
    engine_->spaces().remove(*segment->space);
    if (segment->is_own) segment->kind->device->release(segment->address);
    --segment->kind->segments;
    segments_.remove_if([&](const auto& held) { return held.get() == segment; });
    return;
  }
  const std::shared_ptr<const SegmentPages> pages = segment->pages;
  segments_.remove_if([&](const auto& held) { return held.get() == segment; });
  if (pages.use_count() == 1) give_back(*pages);
}

void Door::give_back(const SegmentPages& pages) {
  if (pages.program.data() == pages.arena.data()) return engine_->segments().release(pages.arena);
  engine_->program_memory().take_back(pages);
}

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size) {
  constexpr auto call = "gex_Segment_Attach";
  Team& team = Team::of(tm);
  team.door->engine().kinds().open_used();
  const bool has_everything = team.door->has_everything();  // then there is no size
  if (!has_everything && (size == 0 || size % gondwana::page_size() != 0))
    return refuse(GASNET_ERR_BAD_ARG, call,
                  fmt::format("a segment of {} bytes: expected a multiple of the page size, {}",
                              size, gondwana::page_size()));
  if (team.endpoint->segment != GEX_SEGMENT_INVALID)
    return refuse(GASNET_ERR_BAD_ARG, call, "the endpoint has a segment already");
  const gondwana::Result<gex_Segment_t> segment = has_everything
                                                      ? team.door->make_segment_of_everything()
                                                      : team.door->make_segment(nullptr, size);
  if (!segment) return refuse(GASNET_ERR_RESOURCE, call, segment.error().text);
  *segment_p = *segment;
  team.endpoint->segment = *segment;
  return gex_EP_PublishBoundSegment(tm, &team.endpoint, 1, 0);
}

int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address,
                       uintptr_t length, gex_MK_t kind, gex_Flags_t /*flags*/) {
  constexpr auto call = "gex_Segment_Create";
  if (kind == GEX_MK_INVALID) return refuse(GASNET_ERR_BAD_ARG, call, "the kind is GEX_MK_INVALID");
  if (length == 0) return refuse(GASNET_ERR_BAD_ARG, call, "a segment of 0 bytes");
  const bool is_host = kind == GEX_MK_HOST || kind->device == nullptr;
  const gondwana::Result<gex_Segment_t> segment =
      is_host ? client->door->make_segment(address, length)
              : client->door->make_device_segment(kind, address, length);
  if (!segment)
    return refuse(segment.error().code == gondwana::Errc::invalid_argument ? GASNET_ERR_BAD_ARG
                                                                           : GASNET_ERR_RESOURCE,
                  call, segment.error().text);
  *segment_p = *segment;
  return GASNET_OK;
}

void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t /*flags*/) {
  segment->client->door->destroy(segment);
}

gex_Client_t gex_Segment_QueryClient(gex_Segment_t seg) {
  return seg->client;
}

gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t seg) {
  return seg->flags;
}

gex_MK_t gex_Segment_QueryKind(gex_Segment_t seg) {
  return seg->kind;
}

void* gex_Segment_QueryAddr(gex_Segment_t seg) {
  return seg->address;
}

uintptr_t gex_Segment_QuerySize(gex_Segment_t seg) {
  return seg->size;
}

void gex_Segment_SetCData(gex_Segment_t seg, const void* val) {
  seg->data.value = val;
}

void* gex_Segment_QueryCData(gex_Segment_t seg) {
  return const_cast<void*>(seg->data.value);
}

int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p) {
  const Team& team = Team::of(tm);
  check_member(team, rank, "gex_Segment_QueryBound");
  PeerSegment segment = segment_of(*team.door, team.processes[rank], team.indices[rank]);
  if (team.door->has_everything()) segment = {0, ~std::uintptr_t{0}, {nullptr, {}}};
  if (team.processes[rank] == team.door->rank()) {  // even if it was not published
    const gex_EP_t own = team.door->endpoint(team.indices[rank]);
    if (own == GEX_EP_INVALID || own->segment == GEX_SEGMENT_INVALID) return GASNET_ERR_NOT_READY;
    std::byte* address = own->segment->address;
    segment = {reinterpret_cast<std::uintptr_t>(address),
               own->segment->size,
               {is_on_device(own->segment) ? nullptr : address, {}}};
  }
  if (segment.size == 0) return GASNET_ERR_NOT_READY;
  if (owneraddr_p != nullptr) *owneraddr_p = reinterpret_cast<void*>(segment.owner);
  if (localaddr_p != nullptr) *localaddr_p = segment.base.here;
  if (size_p != nullptr) *size_p = segment.size;
  return GASNET_OK;
}

uintptr_t gasnet_getMaxLocalSegmentSize(void) {
  return door().has_everything() ? ~std::uintptr_t{0} : door().most_local();
}

uintptr_t gasnet_getMaxGlobalSegmentSize(void) {
  return door().has_everything() ? ~std::uintptr_t{0} : door().most_global();
}

namespace {

// A query of tables in this process, so that handlers may call it.
RemoteSegment known_segment(Door& door, std::uint32_t process) {
  if (door.has_everything()) return {0, 0, ~std::size_t{0}};
  if (!door.reaches(process)) return door.remote().known_segment(process, 0);
  return segment_in(door.directory(process), 0);
}

}  // namespace

int gasnet_getSegmentInfo(gasnet_seginfo_t* seginfo_table, int numentries) {
  Door& here = door();
  if (numentries < 0 || static_cast<std::uint32_t>(numentries) > door().ranks())
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_getSegmentInfo",
                  fmt::format("{} entries; the job has {} processes", numentries, door().ranks()));
  for (std::uint32_t process = 0; process < static_cast<std::uint32_t>(numentries); ++process) {
    const RemoteSegment segment = known_segment(here, process);
    seginfo_table[process] = {reinterpret_cast<void*>(segment.owner), segment.size};
  }
  return GASNET_OK;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t* nodeinfo_table, int numentries) {
  Door& here = door();
  if (numentries < 0 || static_cast<std::uint32_t>(numentries) > door().ranks())
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_getNodeInfo",
                  fmt::format("{} entries; the job has {} processes", numentries, door().ranks()));
  for (std::uint32_t process = 0; process < static_cast<std::uint32_t>(numentries); ++process) {
    const std::uint32_t node = here.node_of(process);
    nodeinfo_table[process] = {here.hosts().of_rank[process], node,
                               static_cast<std::uintptr_t>(here.member(process, 0).delta)};
  }
  return GASNET_OK;
}
