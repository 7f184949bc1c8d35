// Calls of GASNet-1 that gasnet.h does not map to newer calls. GASNet-1.8, Initialization.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/mapping.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet.h"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

namespace {

void set_elsewhere(const PeerAddress& target, int value, std::size_t bytes,
                   gondwana::CallName call) {
  constexpr std::size_t longest = gondwana::longest_medium;
  const std::vector<std::byte> piece(std::min(bytes, longest), static_cast<std::byte>(value));
  Batch batch;
  for (std::size_t at = 0; at < bytes; at += longest)
    door().remote().begin_put(batch, behind(target, static_cast<std::ptrdiff_t>(at)).elsewhere,
                              gondwana::Bytes(piece).first(std::min(longest, bytes - at)), call);
  door().remote().wait(batch, call);
}

}  // namespace

// GASNet-1 tables name no categories and argument counts, so these handlers accept all messages.
int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                  uintptr_t /*minheapoffset*/) {
  Door& here = door();
  std::vector<gex_AM_Entry_t> entries;
  entries.reserve(static_cast<std::size_t>(numentries));
  for (int i = 0; i < numentries; ++i)
    entries.push_back({table[i].index, table[i].fnptr,
                       GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP, any_arguments,
                       nullptr, nullptr});
  const gex_EP_t endpoint = here.endpoints().first();
  if (const int failed = gex_EP_RegisterHandlers(endpoint, entries.data(), entries.size());
      failed != GASNET_OK)
    return failed;
  for (int i = 0; i < numentries; ++i)
    table[i].index = entries[static_cast<std::size_t>(i)].gex_index;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  return gex_Segment_Attach(&segment, here.teams().world(),
                            segsize == 0 ? gondwana::page_size() : segsize);
}

void gasnet_QueryGexObjects(gex_Client_t* client_p, gex_EP_t* endpoint_p, gex_TM_t* tm_p,
                            gex_Segment_t* segment_p) {
  Door& here = door();
  if (client_p != nullptr) *client_p = here.client();
  if (endpoint_p != nullptr) *endpoint_p = here.endpoints().first();
  if (tm_p != nullptr) *tm_p = here.teams().world();
  if (segment_p != nullptr) *segment_p = here.endpoints().first()->segment;
}

gasnet_node_t gasnet_mynode(void) {
  return door().rank();
}

gasnet_node_t gasnet_nodes(void) {
  return door().ranks();
}

gex_TM_t gondwana_gasnet_team(void) {
  return door().teams().world();
}

void gondwana_gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  constexpr auto call = "gasnet_memset";
  const gex_TM_t world = door().teams().world();
  const PeerAddress target = find_peer(world, node, {dest, nbytes}, 0, call);
  if (nbytes == 0) return;
  if (target.here == nullptr) return set_elsewhere(target, val, nbytes, call);
  std::memset(target.here, val, nbytes);
  gondwana_gex_wake(world, node);
}
