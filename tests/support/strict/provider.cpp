// A libfabric provider for tests. It wraps tcp;ofi_rxm, which demands nothing of memory, and
// demands what FI_STRICT_MR names: local, virt_addr (with prov_key), prov_key, allocated, endpoint,
// raw. It offers itself only to callers that allow those modes. A process that violates one ends
// with an error message. FI_STRICT_LOCKED limits the bytes of all registrations together.
//
// Its objects are the objects of the wrapped provider. Their tables of calls are replaced by tables
// that check and then call the originals. Only the calls that Gondwana makes are implemented.
//
// With virtual addresses a writer needs the start of the region at its owner. The key encodes it,
// and looks as random as keys of other providers. The wrapped provider refuses accesses beyond a
// region.
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <rdma/providers/fi_prov.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "demands.hpp"
#include "regions.hpp"

namespace strict {
namespace {

constexpr const char* own_name = "strict";
constexpr const char* name_below = "tcp;ofi_rxm";

template <typename Post>
ssize_t post(const Local& local, void* context, const Post& post_below) {
  if (!demands(FI_MR_LOCAL) || local.size == 0) return post_below();
  begin(local, context);
  const ssize_t outcome = post_below();
  if (outcome != 0) end(context);
  return outcome;
}

ssize_t send(fid_ep* endpoint, const void* memory, std::size_t size, void* descriptor, fi_addr_t to,
             void* context) {
  return post({"send", endpoint, memory, size, descriptor, FI_SEND}, context, [&] {
    return below(endpoint->msg)->send(endpoint, memory, size, nullptr, to, context);
  });
}

ssize_t receive(fid_ep* endpoint, const fi_msg* message, std::uint64_t flags) {
  fi_msg without = *message;
  without.desc = nullptr;
  const iovec& room = *message->msg_iov;
  void* descriptor = message->desc == nullptr ? nullptr : *message->desc;
  return post({"receive", endpoint, room.iov_base, room.iov_len, descriptor, FI_RECV},
              message->context,
              [&] { return below(endpoint->msg)->recvmsg(endpoint, &without, flags); });
}

// NOLINTNEXTLINE(readability-function-size): as libfabric calls it
ssize_t read(fid_ep* endpoint, void* memory, std::size_t size, void* descriptor, fi_addr_t from,
             std::uint64_t address, std::uint64_t key, void* context) {
  const std::uint64_t offset = offset_of(address, key);
  return post({"read", endpoint, memory, size, descriptor, FI_READ}, context, [&] {
    return below(endpoint->rma)->read(endpoint, memory, size, nullptr, from, offset, key, context);
  });
}

ssize_t write(fid_ep* endpoint, const fi_msg_rma* message, std::uint64_t flags) {
  fi_rma_iov target = *message->rma_iov;
  target.addr = offset_of(target.addr, target.key);
  fi_msg_rma without = *message;
  without.desc = nullptr;
  without.rma_iov = &target;
  const iovec& source = *message->msg_iov;
  void* descriptor = message->desc == nullptr ? nullptr : *message->desc;
  return post({"write", endpoint, source.iov_base, source.iov_len, descriptor, FI_WRITE},
              message->context,
              [&] { return below(endpoint->rma)->writemsg(endpoint, &without, flags); });
}

// A multi-receive buffer is done when the provider releases it.
bool is_done(std::uint64_t flags) {
  return (flags & FI_RECV) == 0 || (flags & FI_MULTI_RECV) != 0;
}

ssize_t read_queue(fid_cq* queue, void* entries, std::size_t count) {
  const ssize_t found = below(queue->ops)->read(queue, entries, count);
  const auto* entry = static_cast<const fi_cq_data_entry*>(entries);
  for (ssize_t i = 0; i < found; ++i, ++entry)
    if (is_done(entry->flags)) end(entry->op_context);
  return found;
}

ssize_t read_failure(fid_cq* queue, fi_cq_err_entry* entry, std::uint64_t flags) {
  const ssize_t found = below(queue->ops)->readerr(queue, entry, flags);
  if (found == 1 && is_done(entry->flags)) end(entry->op_context);
  return found;
}

// Ends all operations in flight on the endpoint.
int close_endpoint(fid* object) {
  auto* endpoint = reinterpret_cast<fid_ep*>(object);
  take_off(endpoint->fid.ops);
  take_off(endpoint->msg);
  take_off(endpoint->rma);
  const int outcome = fi_close(object);
  end_all(endpoint);
  return outcome;
}

int close_queue(fid* object) {
  take_off(object->ops);
  take_off(reinterpret_cast<fid_cq*>(object)->ops);
  return fi_close(object);
}

int close_domain(fid* object) {
  auto* domain = reinterpret_cast<fid_domain*>(object);
  check_closed(domain);
  take_off(object->ops);
  take_off(domain->ops);
  take_off(domain->mr);
  return fi_close(object);
}

int close_fabric(fid* object) {
  take_off(object->ops);
  take_off(reinterpret_cast<fid_fabric*>(object)->ops);
  return fi_close(object);
}

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

// The info in the form of the wrapped provider, for what it reports and what it is asked.
Info info_below(const fi_info* info) {
  Info translated(fi_dupinfo(info));
  translated->domain_attr->mr_mode = 0;
  std::free(translated->fabric_attr->prov_name);
  translated->fabric_attr->prov_name = ::strdup(name_below);
  return translated;
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** made, void* context) {
  const int failed = below(domain->ops)->endpoint(domain, info_below(info).get(), made, context);
  if (failed != 0) return failed;
  lay_above((*made)->fid.ops).close = close_endpoint;
  auto& messages = lay_above_only((*made)->msg);
  messages.recvmsg = receive;
  messages.send = send;
  messages.inject = messages.below->inject;
  auto& transfers = lay_above_only((*made)->rma);
  transfers.read = read;
  transfers.writemsg = write;
  return 0;
}

int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** made, void* context) {
  if (attributes->format != FI_CQ_FORMAT_DATA) return -FI_ENOSYS;
  const int failed = below(domain->ops)->cq_open(domain, attributes, made, context);
  if (failed != 0) return failed;
  lay_above((*made)->fid.ops).close = close_queue;
  auto& queue = lay_above((*made)->ops);
  queue.read = read_queue;
  queue.readerr = read_failure;
  return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** made, void* context) {
  const int failed = below(fabric->ops)->domain(fabric, info_below(info).get(), made, context);
  if (failed != 0) return failed;
  lay_above((*made)->fid.ops).close = close_domain;
  auto& domain = lay_above((*made)->ops);
  domain.endpoint = open_endpoint;
  domain.cq_open = open_queue;
  lay_above_only((*made)->mr).reg = register_region;
  return 0;
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** made, void* context) {
  fi_fabric_attr translated = *attributes;
  std::string name = name_below;
  translated.prov_name = name.data();
  const int failed = fi_fabric(&translated, made, context);
  if (failed != 0) return failed;
  lay_above((*made)->fid.ops).close = close_fabric;
  lay_above((*made)->ops).domain = open_domain;
  return 0;
}

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** info) {
  const char* wanted = hints == nullptr ? nullptr : hints->fabric_attr->prov_name;
  if (wanted == nullptr || std::strcmp(wanted, own_name) != 0) return -FI_ENODATA;
  if (hints->ep_attr->type != FI_EP_RDM) return -FI_ENODATA;
  if ((modes & ~hints->domain_attr->mr_mode) != 0) return -FI_ENODATA;
  const int failed = fi_getinfo(version, node, service, flags, info_below(hints).get(), info);
  if (failed != 0) return failed;
  for (fi_info* each = *info; each != nullptr; each = each->next) {
    each->domain_attr->mr_mode = modes;
    std::free(each->fabric_attr->prov_name);
    each->fabric_attr->prov_name = nullptr;  // libfabric writes our name
  }
  return 0;
}

}  // namespace
}  // namespace strict

extern "C" [[gnu::visibility("default")]] fi_provider* fi_prov_ini() {
  static fi_provider provider{.version = FI_VERSION(1, 0),
                              .fi_version = FI_VERSION(1, 17),
                              .context = {},
                              .name = strict::own_name,
                              .getinfo = strict::get_info,
                              .fabric = strict::open_fabric,
                              .cleanup = [] {}};
  return &provider;
}
