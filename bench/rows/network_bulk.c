// Bandwidth between nodes: put_nbi and get_nbi of 64 KiB to 16 MiB, several in flight, and quiet.
// Message rate: 64 put_nbi of 8 bytes and quiet. Rank 0 and the last rank. ROUTE ends the names of
// the figures. Usage: network_bulk [ROUTE]
#include "network.h"

enum { LARGEST = 16 << 20, USUAL_AREA = 1 << 20, BATCHES = 40 };

struct stream {
  const char* name;
  size_t size;
  size_t transfers;  // per batch
  size_t window;     // transfers before each quiet
  int gets;
};

static const struct stream streams[] = {
    {"put_rate", 8, 1024, 64, 0},       {"put_65536", 65536, 64, 8, 0},
    {"get_65536", 65536, 64, 8, 1},     {"put_1048576", 1 << 20, 8, 4, 0},
    {"get_1048576", 1 << 20, 8, 4, 1},  {"put_16777216", LARGEST, 1, 1, 0},
    {"get_16777216", LARGEST, 1, 1, 1},
};

static char* local;
static const char* route = "";

static void run(const struct stream* stream, char* symmetric, int peer) {
  const size_t area = stream->size > USUAL_AREA ? stream->size : USUAL_AREA;
  const size_t places = area / stream->size;
  for (size_t i = 0; i < stream->transfers; ++i) {
    const size_t at = i % places * stream->size;
    if (stream->gets)
      shmem_getmem_nbi(local + at, symmetric + at, stream->size, peer);
    else
      shmem_putmem_nbi(symmetric + at, local + at, stream->size, peer);
    if (i % stream->window == stream->window - 1) shmem_quiet();
  }
  shmem_quiet();
}

static void measure(void* symmetric, int peer) {
  for (size_t s = 0; s < sizeof streams / sizeof *streams; ++s) {
    const struct stream* stream = &streams[s];
    TIME_OURS(1, 1, BATCHES, stream->transfers, run(stream, symmetric, peer), "network_%s%s",
              stream->name, route);
  }
}

int main(int argc, char** argv) {
  if (argc > 1) route = argv[1];
  start_shmem();
  char* symmetric = allocate_symmetric(LARGEST);
  local = new_pages(LARGEST);
  memset(local, 1, LARGEST);
  measure_beside(0, measure, symmetric);
  require(me != ranks - 1 || (symmetric[0] == 1 && symmetric[LARGEST - 1] == 1),
          "bytes did not arrive");
  end_shmem();
}
