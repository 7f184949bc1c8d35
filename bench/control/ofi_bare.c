// libfabric between two processes on 127.0.0.1, in bare loops, with the provider that our jobs use
// there: puts that are complete at the target, gets, message round trips, many puts in flight. The
// target polls all the time or, with "asleep", computes while one of its threads sleeps on the wait
// descriptor. Usage: ofi_bare spin|asleep
#include "../common/crew.h"

#include <poll.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { WARM_UP = 300, TRIPS = 2000, LARGEST = 1 << 20, NAME = 128, MESSAGE = 48, KEY = 1 };
enum { RECEIVES = 16, SLEEP_MS = 100 };

struct shared {
  char name[2][NAME];
  _Atomic int steps;
  _Atomic int over;
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
  uint64_t done;
  uint64_t received;
  bool answers;
};

static struct shared* shared;
static struct wire wire;

static void must(const char* what, ssize_t outcome) {
  if (outcome >= 0) return;
  fprintf(stderr, "ofi_bare: %s: %s\n", what, fi_strerror((int)-outcome));
  exit(1);
}

static void expect_message(char* at) {
  must("receive", fi_recv(wire.endpoint, at, MESSAGE, NULL, FI_ADDR_UNSPEC, at));
}

static struct fi_info* find_provider(void) {
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

static void open_wire(int rank) {
  struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
  struct fi_av_attr table = {.type = FI_AV_TABLE};
  struct fid_av* peers;
  struct fid_mr* region;
  size_t size = NAME;
  wire.info = find_provider();
  must("fabric", fi_fabric(wire.info->fabric_attr, &wire.fabric, NULL));
  must("domain", fi_domain(wire.fabric, wire.info, &wire.domain, NULL));
  must("queue", fi_cq_open(wire.domain, &queue, &wire.queue, NULL));
  must("table", fi_av_open(wire.domain, &table, &peers, NULL));
  must("endpoint", fi_endpoint(wire.domain, wire.info, &wire.endpoint, NULL));
  must("bind", fi_ep_bind(wire.endpoint, &peers->fid, 0));
  must("bind", fi_ep_bind(wire.endpoint, &wire.queue->fid, FI_TRANSMIT | FI_RECV));
  must("enable", fi_enable(wire.endpoint));
  must("descriptor", fi_control(&wire.queue->fid, FI_GETWAIT, &wire.descriptor));
  wire.memory = aligned_alloc(4096, LARGEST);
  wire.messages = calloc(RECEIVES, MESSAGE);
  if (wire.memory == NULL || wire.messages == NULL) must("memory", -FI_ENOMEM);
  memset(wire.memory, 1, LARGEST);
  must("region", fi_mr_reg(wire.domain, wire.memory, LARGEST, FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
                           KEY, 0, &region, NULL));
  for (size_t i = 0; i < RECEIVES; ++i) expect_message(wire.messages + i * MESSAGE);
  must("name", fi_getname(&wire.endpoint->fid, shared->name[rank], &size));
  atomic_fetch_add(&shared->steps, 1);
  while (atomic_load(&shared->steps) < 2) usleep(1000);
  must("peer", fi_av_insert(peers, shared->name[!rank], 1, &wire.peer, 0, NULL));
}

static void send_message(void);

static void take(const struct fi_cq_data_entry* entry) {
  if ((entry->flags & FI_RECV) == 0) {
    ++wire.done;
    return;
  }
  ++wire.received;
  expect_message(entry->op_context);
  if (wire.answers) send_message();
}

static bool look(void) {
  struct fi_cq_data_entry entries[16];
  const ssize_t count = fi_cq_read(wire.queue, entries, 16);
  if (count == -FI_EAGAIN) return false;
  must("queue", count);
  for (ssize_t i = 0; i < count; ++i) take(&entries[i]);
  return true;
}

static void send_message(void) {
  static const char message[MESSAGE];
  ssize_t outcome;
  while ((outcome = fi_inject(wire.endpoint, message, MESSAGE, wire.peer)) == -FI_EAGAIN) look();
  must("send", outcome);
}

static ssize_t put(size_t size, size_t at) {
  const struct iovec from = {wire.memory + at, size};
  const struct fi_rma_iov to = {at, size, KEY};
  const struct fi_msg_rma message = {
      .msg_iov = &from, .iov_count = 1, .addr = wire.peer, .rma_iov = &to, .rma_iov_count = 1};
  return fi_writemsg(wire.endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

static ssize_t get(size_t size, size_t at) {
  return fi_read(wire.endpoint, wire.memory + at, size, NULL, wire.peer, at, KEY, NULL);
}

typedef ssize_t transfer(size_t size, size_t at);

// Starts `count` operations, at most `window` in flight.
static void many(transfer* start, size_t size, uint64_t count, uint64_t window) {
  const uint64_t before = wire.done;
  const size_t places = LARGEST / size;
  for (uint64_t posted = 0; posted < count || wire.done - before < count;) {
    const bool room = posted < count && posted - (wire.done - before) < window;
    const ssize_t outcome = room ? start(size, posted % places * size) : -FI_EAGAIN;
    if (outcome == 0)
      ++posted;
    else if (outcome == -FI_EAGAIN)
      look();
    else
      must("transfer", outcome);
  }
}

static void message_there_and_back(void) {
  const uint64_t before = wire.received;
  send_message();
  while (wire.received == before) look();
}

static void report_as(const char* name, const char* mode, double* samples, size_t count) {
  char full[64];
  snprintf(full, sizeof full, "bare_%s_%s", name, mode);
  report(full, "control", samples, count);
}

static void latency(const char* name, const char* mode, transfer* start) {
  double* samples = new_samples(TRIPS);
  for (int i = -WARM_UP; i < TRIPS; ++i) {
    const int64_t begin = now_ns();
    if (start != NULL)
      many(start, sizeof(uint64_t), 1, 1);
    else
      message_there_and_back();
    if (i >= 0) samples[i] = (double)(now_ns() - begin);
  }
  report_as(name, mode, samples, TRIPS);
}

static void stream(const char* name, const char* mode, transfer* start, size_t size, size_t batch,
                   size_t window) {
  enum { BATCHES = 40 };
  double* samples = new_samples(BATCHES);
  many(start, size, batch, window);
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t begin = now_ns();
    many(start, size, batch, window);
    samples[i] = ns_per_op(now_ns() - begin, batch);
  }
  report_as(name, mode, samples, BATCHES);
}

static void initiate(const char* mode) {
  latency("put_8", mode, put);
  latency("get_8", mode, get);
  latency("message_48", mode, NULL);
  stream("put_rate", mode, put, sizeof(uint64_t), 1024, 64);
  stream("put_65536", mode, put, 65536, 64, 8);
  stream("get_65536", mode, get, 65536, 64, 8);
  stream("put_1048576", mode, put, LARGEST, 8, 4);
  stream("get_1048576", mode, get, LARGEST, 8, 4);
  atomic_store(&shared->over, 1);
}

static void* serve(void* asleep) {
  struct fid* queue = &wire.queue->fid;
  struct pollfd entry = {wire.descriptor, POLLIN, 0};
  while (!atomic_load_explicit(&shared->over, memory_order_relaxed))
    if (!look() && asleep != NULL && fi_trywait(wire.fabric, &queue, 1) == 0)
      poll(&entry, 1, SLEEP_MS);
  return NULL;
}

static void be_target(bool asleep) {
  wire.answers = true;
  if (!asleep) {
    serve(NULL);
    return;
  }
  pthread_t server;
  if (pthread_create(&server, NULL, serve, &wire) != 0) must("thread", -FI_ENOMEM);
  volatile double computed = 1;
  while (!atomic_load_explicit(&shared->over, memory_order_relaxed))
    for (int i = 0; i < 1000; ++i) computed = computed * 1.0000001;
  pthread_join(server, NULL);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "spin";
  shared = shared_pages(sizeof *shared);
  const int rank = start_crew(2);
  open_wire(rank);
  if (rank == 0)
    initiate(mode);
  else
    be_target(strcmp(mode, "asleep") == 0);
  end_crew(rank);
  return 0;
}
