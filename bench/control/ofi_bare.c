// libfabric between two processes on 127.0.0.1, in bare loops, with the provider that our jobs use
// there: puts that are complete at the target, gets, message round trips, many puts in flight, many
// messages one way. The target polls all the time or, with "asleep", computes while one of its
// threads sleeps on the wait descriptor. With "bounce" it is a pipeline instead: a put through
// registered memory. The target copies each chunk away and answers. The source copies it into
// registered memory or, if only the target is a device, puts from the memory of its program. Puts
// complete in their order. Usage: ofi_bare spin|asleep|bounce
#include "../common/crew.h"
#include "../common/wire.h"

#include <poll.h>
#include <pthread.h>

enum { WARM_UP = 300, TRIPS = 2000, BATCHES = 40, MESSAGE = 48, SLEEP_MS = 100 };

enum { SLOT = 256 << 10, SLOTS = WIRE_MEMORY / SLOT, LARGEST = 16 << 20 };

struct shared {
  struct wire_names names;
  _Atomic size_t chunk;  // position of the chunk in a pipeline
  _Atomic uint64_t first;
  _Atomic int over;
};

static struct shared* shared;
static struct wire wire;

static ssize_t put(size_t size, size_t at) {
  return put_from(&wire, wire.memory + at, at, size, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

static ssize_t get(size_t size, size_t at) {
  return fi_read(wire.endpoint, wire.memory + at, size, NULL, wire.peer, at, KEY, NULL);
}

typedef ssize_t transfer(size_t size, size_t at);

// Starts `count` operations, at most `window` in flight.
static void many(transfer* start, size_t size, uint64_t count, uint64_t window) {
  const uint64_t before = wire.done;
  const size_t places = WIRE_MEMORY / size;
  for (uint64_t posted = 0; posted < count || wire.done - before < count;) {
    const bool room = posted < count && posted - (wire.done - before) < window;
    const ssize_t outcome = room ? start(size, posted % places * size) : -FI_EAGAIN;
    if (outcome == 0)
      ++posted;
    else if (outcome == -FI_EAGAIN)
      look(&wire);
    else
      must("transfer", outcome);
  }
}

static void message_there_and_back(void) {
  const uint64_t before = wire.received;
  send_message(&wire, MESSAGE, true);
  while (wire.received == before) look(&wire);
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
  double* samples = new_samples(BATCHES);
  many(start, size, batch, window);
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t begin = now_ns();
    many(start, size, batch, window);
    samples[i] = ns_per_op(now_ns() - begin, batch);
  }
  report_as(name, mode, samples, BATCHES);
}

// Messages one way, at any number in flight. The target answers the last one of a batch.
static void messages(const char* mode, size_t size) {
  enum { COUNT = 1024 };
  double* samples = new_samples(BATCHES);
  for (int i = -1; i < BATCHES; ++i) {
    const uint64_t before = wire.received;
    const int64_t begin = now_ns();
    for (int j = 1; j <= COUNT; ++j) send_message(&wire, size, j == COUNT);
    while (wire.received == before) look(&wire);
    if (i >= 0) samples[i] = ns_per_op(now_ns() - begin, COUNT);
  }
  char name[64];
  snprintf(name, sizeof name, "message_rate_%zu", size);
  report_as(name, mode, samples, BATCHES);
}

static void initiate(const char* mode) {
  latency("put_8", mode, put);
  latency("get_8", mode, get);
  latency("message_48", mode, NULL);
  stream("put_rate", mode, put, sizeof(uint64_t), 1024, 64);
  stream("put_65536", mode, put, 65536, 64, 8);
  stream("get_65536", mode, get, 65536, 64, 8);
  stream("put_1048576", mode, put, WIRE_MEMORY, 8, 4);
  stream("get_1048576", mode, get, WIRE_MEMORY, 8, 4);
  messages(mode, MESSAGE);
  messages(mode, LONGEST_MESSAGE);
  atomic_store(&shared->over, 1);
}

static char* device;  // simulates memory of a device, or of the host if only the target is a device
static uint64_t chunks;  // put, or taken by the target, since the start

static void take_chunk(void) {
  const size_t chunk = atomic_load(&shared->chunk);
  memcpy(device + (chunks - atomic_load(&shared->first)) * chunk,
         wire.memory + chunks % SLOTS * SLOT, chunk);
  ++chunks;
}

static void put_chunk(size_t at, size_t chunk, bool copies) {
  const size_t slot = chunks++ % SLOTS * SLOT;
  const char* source = copies ? wire.memory + slot : device + at;
  const uint64_t flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
  ssize_t outcome;
  if (copies) memcpy(wire.memory + slot, device + at, chunk);
  while ((outcome = put_from(&wire, source, slot, chunk, flags)) == -FI_EAGAIN) look(&wire);
  must("put", outcome);
}

static void put_by_chunks(size_t size, bool copies) {
  const size_t chunk = size < SLOT ? size : SLOT;
  const uint64_t done = wire.done;
  const uint64_t received = wire.received;
  uint64_t posted = 0;
  uint64_t told = 0;
  atomic_store(&shared->chunk, chunk);
  atomic_store(&shared->first, chunks);
  while (wire.received - received < size / chunk) {
    if (told < wire.done - done) {
      send_message(&wire, MESSAGE, true);
      ++told;
    } else if (posted < size / chunk && posted - (wire.received - received) < SLOTS) {
      put_chunk(posted++ * chunk, chunk, copies);
    } else {
      look(&wire);
    }
  }
}

static void time_bounces(void) {
  for (size_t size = 4096; size <= LARGEST; size *= 16) {
    for (int copies = 1; copies <= 2; ++copies) {
      double* samples = new_samples(BATCHES);
      put_by_chunks(size, copies == 2);
      for (int i = 0; i < BATCHES; ++i) {
        const int64_t begin = now_ns();
        put_by_chunks(size, copies == 2);
        samples[i] = (double)(now_ns() - begin);
      }
      char name[64];
      snprintf(name, sizeof name, "bounce_%d_%zu", copies, size);
      report(name, "control", samples, BATCHES);
    }
  }
  atomic_store(&shared->over, 1);
}

static void open_device(int rank) {
  device = aligned_alloc(4096, LARGEST);
  if (device == NULL) must("memory", -FI_ENOMEM);
  memset(device, 1, LARGEST);
  if (rank == 1) wire.arrived = take_chunk;
}

static void* serve(void* asleep) {
  struct fid* queue = &wire.queue->fid;
  struct pollfd entry = {wire.descriptor, POLLIN, 0};
  while (!atomic_load_explicit(&shared->over, memory_order_relaxed))
    if (!look(&wire) && asleep != NULL && fi_trywait(wire.fabric, &queue, 1) == 0)
      poll(&entry, 1, SLEEP_MS);
  return NULL;
}

static void be_target(bool asleep) {
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
  const bool bounces = strcmp(mode, "bounce") == 0;
  if (bounces) open_device(rank);
  open_wire(&wire, &shared->names, rank);
  if (rank == 0 && bounces)
    time_bounces();
  else if (rank == 0)
    initiate(mode);
  else
    be_target(strcmp(mode, "asleep") == 0);
  end_crew(rank);
  return 0;
}
