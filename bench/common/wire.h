// libfabric between two processes on 127.0.0.1, with the provider that our jobs use there: an
// endpoint for each, the memory that the other side accesses, puts, gets and small messages.
// Include it only if libfabric is installed.
#ifndef GONDWANA_BENCH_WIRE_H_
#define GONDWANA_BENCH_WIRE_H_

#include "measure.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { WIRE_MEMORY = 1 << 20, LONGEST_MESSAGE = 112, RECEIVES = 16, NAME = 128, KEY = 1 };

// The addresses of both sides, in memory that both processes share.
struct wire_names {
  char name[2][NAME];
  _Atomic int known;
};

// An endpoint and the counters of its loops.
struct wire {
  struct fi_info* info;
  struct fid_fabric* fabric;
  struct fid_domain* domain;
  struct fid_cq* queue;
  struct fid_ep* endpoint;
  int descriptor;
  fi_addr_t peer;
  char* memory;
  char* messages;
  void (*arrived)(void);  // called for each message before it is answered; may be NULL
  uint64_t done;
  uint64_t received;
};

static inline void must(const char* what, ssize_t outcome) {
  if (outcome < 0) fail("libfabric: %s: %s", what, fi_strerror((int)-outcome));
}

static inline void expect_message(struct wire* wire, char* at) {
  must("receive", fi_recv(wire->endpoint, at, LONGEST_MESSAGE, NULL, FI_ADDR_UNSPEC, at));
}

static inline struct fi_info* find_provider(void) {
  const char* named = getenv("GONDWANA_PROVIDER");
  struct fi_info* hints = fi_allocinfo();
  struct fi_info* found = NULL;
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->addr_format = FI_SOCKADDR_IN;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->fabric_attr->prov_name = strdup(named != NULL ? named : "tcp;ofi_rxm");
  must("provider", fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", NULL, FI_SOURCE, hints, &found));
  fi_freeinfo(hints);
  return found;
}

static inline void open_endpoint(struct wire* wire, struct fid_av** peers) {
  struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
  struct fi_av_attr table = {.type = FI_AV_TABLE};
  wire->info = find_provider();
  must("fabric", fi_fabric(wire->info->fabric_attr, &wire->fabric, NULL));
  must("domain", fi_domain(wire->fabric, wire->info, &wire->domain, NULL));
  must("queue", fi_cq_open(wire->domain, &queue, &wire->queue, NULL));
  must("table", fi_av_open(wire->domain, &table, peers, NULL));
  must("endpoint", fi_endpoint(wire->domain, wire->info, &wire->endpoint, NULL));
  must("bind", fi_ep_bind(wire->endpoint, &(*peers)->fid, 0));
  must("bind", fi_ep_bind(wire->endpoint, &wire->queue->fid, FI_TRANSMIT | FI_RECV));
  must("enable", fi_enable(wire->endpoint));
  must("descriptor", fi_control(&wire->queue->fid, FI_GETWAIT, &wire->descriptor));
}

static inline void open_memory(struct wire* wire) {
  struct fid_mr* region;
  wire->memory = aligned_alloc(4096, WIRE_MEMORY);
  wire->messages = calloc(RECEIVES, LONGEST_MESSAGE);
  if (wire->memory == NULL || wire->messages == NULL) must("memory", -FI_ENOMEM);
  memset(wire->memory, 0, WIRE_MEMORY);
  must("region", fi_mr_reg(wire->domain, wire->memory, WIRE_MEMORY,
                           FI_REMOTE_READ | FI_REMOTE_WRITE, 0, KEY, 0, &region, NULL));
  for (size_t i = 0; i < RECEIVES; ++i) expect_message(wire, wire->messages + i * LONGEST_MESSAGE);
}

// `side`: 0 or 1. Returns when the other side has done the same.
static inline void open_wire(struct wire* wire, struct wire_names* names, int side) {
  struct fid_av* peers;
  size_t size = NAME;
  open_endpoint(wire, &peers);
  open_memory(wire);
  must("name", fi_getname(&wire->endpoint->fid, names->name[side], &size));
  atomic_fetch_add(&names->known, 1);
  while (atomic_load(&names->known) < 2) usleep(1000);
  must("peer", fi_av_insert(peers, names->name[!side], 1, &wire->peer, 0, NULL));
}

static inline void send_message(struct wire* wire, size_t size, bool asks);

// The first byte of a message requests an answer.
static inline void take(struct wire* wire, const struct fi_cq_data_entry* entry) {
  if ((entry->flags & FI_RECV) == 0) {
    ++wire->done;
    return;
  }
  char* message = entry->op_context;
  const bool asks = *message != 0;
  ++wire->received;
  expect_message(wire, message);
  if (wire->arrived != NULL) wire->arrived();
  if (asks) send_message(wire, entry->len, false);
}

// Makes progress. Returns whether any operation completed.
static inline bool look(struct wire* wire) {
  struct fi_cq_data_entry entries[16];
  const ssize_t count = fi_cq_read(wire->queue, entries, 16);
  if (count == -FI_EAGAIN) return false;
  must("queue", count);
  for (ssize_t i = 0; i < count; ++i) take(wire, &entries[i]);
  return true;
}

static inline void send_message(struct wire* wire, size_t size, bool asks) {
  const char message[LONGEST_MESSAGE] = {asks ? 1 : 0};
  ssize_t outcome;
  while ((outcome = fi_inject(wire->endpoint, message, size, wire->peer)) == -FI_EAGAIN) look(wire);
  must("send", outcome);
}

// `flags` are passed to fi_writemsg. `target` is an offset in the memory of the other side.
static inline ssize_t put_from(struct wire* wire, const char* source, size_t target, size_t size,
                               uint64_t flags) {
  const struct iovec from = {(void*)source, size};
  const struct fi_rma_iov to = {target, size, KEY};
  const struct fi_msg_rma message = {
      .msg_iov = &from, .iov_count = 1, .addr = wire->peer, .rma_iov = &to, .rma_iov_count = 1};
  return fi_writemsg(wire->endpoint, &message, flags);
}

#endif
