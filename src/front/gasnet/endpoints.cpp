// Endpoints, their handlers and bound segments. GASNet-EX 0.19, Operations on gex_EP_t.
#include "front/gasnet/endpoints.hpp"

#include <algorithm>

#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet/endpoint.h"
#include "gasnet/messages.h"
#include "gasnet/segment.h"
#include "gasnet/system.h"

namespace gondwana::gasnet {

gex_EP_t Endpoints::make(gex_Client_t client, gex_EP_Capabilities_t capabilities,
                         gex_Flags_t flags) {
  const std::scoped_lock lock(mutex_);
  const auto free =
      std::ranges::find_if(held_, [](const auto& endpoint) { return endpoint == nullptr; });
  if (free == held_.end()) return GEX_EP_INVALID;
  *free = std::make_unique<gondwana_gex_endpoint>();
  (*free)->client = client;
  (*free)->index = static_cast<gex_EP_Index_t>(free - held_.begin());
  (*free)->capabilities = capabilities;
  (*free)->flags = flags;
  return free->get();
}

void Endpoints::remove(gex_EP_t endpoint) {
  const std::scoped_lock lock(mutex_);
  held_[endpoint->index].reset();
}

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t numentries) {
  const gondwana::Result<void> added = ep->handlers.add({table, numentries});
  return added ? GASNET_OK : refuse(added.error(), "gex_EP_RegisterHandlers");
}

int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags) {
  constexpr auto call = "gex_EP_Create";
  if (capabilities == 0 || (capabilities & ~GEX_EP_CAPABILITY_ALL) != 0)
    return refuse(GASNET_ERR_BAD_ARG, call,
                  fmt::format("capabilities {:#x} are not GEX_EP_CAPABILITY_ bits", capabilities));
  const gex_EP_t endpoint = client->door->endpoints().make(client, capabilities, flags);
  if (endpoint == GEX_EP_INVALID)
    return refuse(GASNET_ERR_RESOURCE, call,
                  fmt::format("the process already has {} endpoints", max_endpoints));
  *ep_p = endpoint;
  return GASNET_OK;
}

void gex_EP_Destroy(gex_EP_t ep, gex_Flags_t /*flags*/) {
  if (ep->index == 0) give_up("gex_EP_Destroy", "the client's first endpoint cannot be destroyed");
  Door& door = *ep->client->door;
  door.directories().hide(ep->index);
  door.teams().forget_pairs(*ep);
  door.endpoints().remove(ep);
}

int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags) {
  constexpr auto call = "gex_EP_BindSegment";
  if (ep == GEX_EP_INVALID)
    return refuse(GASNET_ERR_BAD_ARG, call, "the endpoint is GEX_EP_INVALID");
  if (flags != 0)
    return refuse(GASNET_ERR_BAD_ARG, call, fmt::format("flags {:#x} must be 0", flags));
  if (segment == GEX_SEGMENT_INVALID)
    return refuse(GASNET_ERR_BAD_ARG, call, "the segment is GEX_SEGMENT_INVALID");
  if (ep->segment != GEX_SEGMENT_INVALID)
    return refuse(GASNET_ERR_BAD_ARG, call, "the endpoint already has a segment");
  if (ep->index == 0 && is_on_device(segment))
    return refuse(GASNET_ERR_BAD_ARG, call,
                  "device memory cannot be bound to the first endpoint; create another one");
  ep->segment = segment;
  if (is_on_device(segment)) ep->client->door->teams().hide_members(*ep);
  return GASNET_OK;
}

int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t /*flags*/) {
  Team& team = Team::of(tm);
  team.door->teams().publish(team, {eps, num_eps}, "gex_EP_PublishBoundSegment");
  return GASNET_OK;
}

gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p,
                                       gex_Flags_t /*flags*/) {
  uintptr_t size = 0;
  if (gex_Segment_QueryBound(tm, rank, owneraddr_p, localaddr_p, &size) != GASNET_OK) size = 0;
  if (size_p != nullptr) *size_p = size;
  return GEX_EVENT_INVALID;
}

gex_Client_t gex_EP_QueryClient(gex_EP_t ep) {
  return ep->client;
}

gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep) {
  return ep->flags;
}

gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep) {
  return ep->segment;
}

gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep) {
  return ep->index;
}

void gex_EP_SetCData(gex_EP_t ep, const void* val) {
  ep->data.value = val;
}

void* gex_EP_QueryCData(gex_EP_t ep) {
  return const_cast<void*>(ep->data.value);
}
