// Puts and gets between memory of the host and of devices, of OpenSHMEM and GASNet-EX, compared
// with the device's own copy of as many bytes (shmemx_device_memcpy), in alternating batches. Rank
// 0 accesses the device of the last rank, or with "own" its own one. NAME begins the names of the
// figures. Usage: gasnet_device_copies own|peer NAME SIZE...
#include "gasnet_job.h"

#include <gasnet_mk.h>
#include <shmemx.h>

enum { LARGEST = 16 << 20, SMALL = 64 << 10, PAGE = 4096 };

struct way {
  const char* name;
  int gets;
  int on_device;  // whether the local side is on our device
};

static const struct way ways[] = {
    {"host_to_device", 0, 0}, {"device_to_host", 1, 0}, {"device_put", 0, 1}, {"device_get", 1, 1}};

// Device memory contains the local side first, then the memory for the target.
static struct {
  int rank;      // the rank that is accessed
  char* device;  // on our device
  char* there;   // the target's address, as GASNet-EX names it
  char* spare;   // on the device, for the control
  char* host;
  gex_TM_t pair[2];  // from the host, from the device
} memory;

static char* symmetric(void) {
  return memory.device + LARGEST;
}

static void put_or_get(const struct way* way, size_t bytes) {
  char* local = way->on_device ? memory.device : memory.host;
  if (way->gets)
    shmem_getmem(local, symmetric(), bytes, memory.rank);
  else
    shmem_putmem(symmetric(), local, bytes, memory.rank);
  shmem_quiet();
}

static void gasnet_put_or_get(const struct way* way, size_t bytes) {
  char* local = way->on_device ? memory.device : memory.host;
  const gex_TM_t pair = memory.pair[way->on_device];
  if (way->gets)
    gex_RMA_GetBlocking(pair, local, (gex_Rank_t)memory.rank, memory.there, bytes, 0);
  else
    gex_RMA_PutBlocking(pair, (gex_Rank_t)memory.rank, memory.there, local, bytes, 0);
}

static void copy(const struct way* way, size_t bytes) {
  char* local = way->on_device ? memory.device : memory.host;
  if (way->gets)
    shmemx_device_memcpy(local, memory.spare, bytes);
  else
    shmemx_device_memcpy(memory.spare, local, bytes);
}

typedef void transfer(const struct way* way, size_t bytes);

static void repeat(transfer* run, const struct way* way, size_t bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) run(way, bytes);
}

// The control is measured together with each door.
static void measure(const char* title, const struct way* way, size_t bytes) {
  transfer* const doors[] = {put_or_get, gasnet_put_or_get};
  const char* suffix[] = {"", "_gasnet"};
  const size_t batches = bytes <= 1 << 20 ? 40 : 12;
  const size_t count = bytes <= SMALL ? 20 : 1;
  for (int door = 0; door < 2; ++door) {
    repeat(doors[door], way, bytes, count);
    TIME_BOTH(1, batches, count, repeat(doors[door], way, bytes, count),
              repeat(copy, way, bytes, count), "%s_%s_%zu%s", title, way->name, bytes,
              suffix[door]);
  }
}

// Bytes move from the host to the target, from there to our device, and back to the host.
static void check(transfer* run, size_t bytes, char value) {
  memset(memory.host, value, bytes);
  run(&ways[0], bytes);
  run(&ways[3], bytes);
  memset(memory.host, 0, bytes);
  run(&ways[0], bytes);
  run(&ways[2], bytes);
  run(&ways[1], bytes);
  require(memory.host[0] == value && memory.host[bytes - 1] == value, "wrong bytes");
}

static void open_device(const struct job* job) {
  gex_MK_Create_args_t device = {.gex_class = GONDWANA_MK_CLASS_EMULATED};
  gex_MK_t kind = GEX_MK_INVALID;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_t endpoint = GEX_EP_INVALID;
  memory.device = shmemx_device_malloc(0, 2 * LARGEST);
  memory.spare = shmemx_device_malloc(0, LARGEST);
  memory.host = aligned_alloc(PAGE, LARGEST);
  require(memory.device != NULL && memory.spare != NULL && memory.host != NULL,
          "no memory; GONDWANA_EMULATED_DEVICES=1 gives each rank a device");
  memset(memory.host, 1, LARGEST);
  shmemx_device_memcpy(memory.device, memory.host, LARGEST);
  shmemx_device_memcpy(memory.device + LARGEST, memory.host, LARGEST);
  shmemx_device_memcpy(memory.spare, memory.host, LARGEST);
  require(shmemx_buffer_register(memory.device, 2 * LARGEST) == 0, "not registered");
  require(gex_MK_Create(&kind, job->client, &device, 0) == GASNET_OK &&
              gex_Segment_Create(&segment, job->client, memory.device, 2 * LARGEST, kind, 0) ==
                  GASNET_OK &&
              gex_EP_Create(&endpoint, job->client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK &&
              gex_EP_BindSegment(endpoint, segment, 0) == GASNET_OK &&
              gex_EP_PublishBoundSegment(job->team, &endpoint, 1, 0) == GASNET_OK,
          "no segment on a device");
  memory.pair[0] = gex_TM_Pair(job->endpoint, gex_EP_QueryIndex(endpoint));
  memory.pair[1] = gex_TM_Pair(endpoint, gex_EP_QueryIndex(endpoint));
  void* there = NULL;
  gex_Event_Wait(
      gex_EP_QueryBoundSegmentNB(memory.pair[0], (gex_Rank_t)memory.rank, &there, NULL, NULL, 0));
  memory.there = (char*)there + LARGEST;
}

int main(int argc, char** argv) {
  const struct job job = start_job(NULL, 0, PAGE);
  shmem_init();
  require(argc > 2, "usage: gasnet_device_copies own|peer NAME SIZE...");
  memory.rank = strcmp(argv[1], "own") == 0 ? (int)job.rank : (int)job.ranks - 1;
  open_device(&job);
  meet(&job);
  for (int i = 3; job.rank == 0 && i < argc; ++i) {
    const size_t bytes = argument(argc, argv, i, 0);
    require(bytes > 0 && bytes <= LARGEST, "a size is from 1 byte to 16 MiB");
    check(put_or_get, bytes, 3);
    check(gasnet_put_or_get, bytes, 4);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way)
      measure(argv[2], &ways[way], bytes);
  }
  end_job(&job);
}
