// Operations on gex_Segment_t, and queries of segments. GASNet-EX 0.19; Memory Kinds.
#include "core/mapping.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet/endpoint.h"
#include "gasnet/segment.h"
#include "gasnet/system.h"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size) {
  constexpr auto call = "gex_Segment_Attach";
  Team& team = Team::of(tm);
  team.door->engine().kinds().open_used();
  const bool has_everything = team.door->has_everything();  // the size is unused then
  if (!has_everything && (size == 0 || size % gondwana::page_size() != 0))
    return refuse(GASNET_ERR_BAD_ARG, call,
                  fmt::format("a segment of {} bytes: expected a multiple of the page size, {}",
                              size, gondwana::page_size()));
  if (team.endpoint->segment != GEX_SEGMENT_INVALID)
    return refuse(GASNET_ERR_BAD_ARG, call, "the endpoint already has a segment");
  Segments& segments = team.door->segments();
  const gex_Client_t client = team.endpoint->client;
  const gondwana::Result<gex_Segment_t> segment =
      has_everything ? segments.make_of_everything(client) : segments.make(client, nullptr, size);
  if (!segment) return refuse(segment.error(), call);
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
  Segments& segments = client->door->segments();
  const gondwana::Result<gex_Segment_t> segment =
      is_host ? segments.make(client, address, length)
              : segments.make_on_device(kind, address, length);
  if (!segment) return refuse(segment.error(), call);
  *segment_p = *segment;
  return GASNET_OK;
}

void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t /*flags*/) {
  segment->client->door->segments().destroy(segment);
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
  const bool is_own =
      team.processes[rank] == team.door->rank() && team.indices[rank] < max_endpoints;
  if (is_own) {  // the segment may be unpublished
    const gex_EP_t own = team.door->endpoints()[team.indices[rank]];
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
  return door().has_everything() ? ~std::uintptr_t{0} : door().segments().largest();
}

// Ranks of one node have equal heaps, so the maximum is the same for all. On several nodes, ranks
// use the initial limit of each rank, so that they agree on the result.
uintptr_t gasnet_getMaxGlobalSegmentSize(void) {
  if (door().has_everything()) return ~std::uintptr_t{0};
  return door().engine().rma().reaches_all() ? door().segments().largest()
                                             : door().directories().min_room();
}

// Uses only local tables, so that handlers may call it.
int gasnet_getSegmentInfo(gasnet_seginfo_t* seginfo_table, int numentries) {
  Door& here = door();
  if (numentries < 0 || static_cast<std::uint32_t>(numentries) > door().ranks())
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_getSegmentInfo",
                  fmt::format("{} entries; the job has {} processes", numentries, door().ranks()));
  for (std::uint32_t process = 0; process < static_cast<std::uint32_t>(numentries); ++process) {
    const RemoteSegment segment = here.has_everything()
                                      ? RemoteSegment{.size = ~std::size_t{0}}
                                      : here.directories().known_segment(process, 0);
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
    const std::uint32_t node = here.engine().memory().roster().where(gondwana::Rank(process)).node;
    nodeinfo_table[process] = {
        here.hosts().of_rank[process], node,
        static_cast<std::uintptr_t>(here.directories().member(process, 0).delta)};
  }
  return GASNET_OK;
}
