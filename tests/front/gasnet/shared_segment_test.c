// Segments on memory of the client. Memory that the client mapped twice stays one memory. Peers on
// this node and on others read and write it. Segments that share a page end one by one.
#define _GNU_SOURCE  // NOLINT(bugprone-reserved-identifier): memfd_create
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job.h"

enum { size = 1 << 20, before = 8192, large = 256 * 1024, lives = 3 };

// A memfd, mapped twice. The test closes the descriptor once the segment exists.
typedef struct {
  int file;
  unsigned char* one;
  const unsigned char* other;
} Twice;

static Twice map_twice(void) {
  Twice twice = {memfd_create("client", 0), NULL, NULL};
  CHECK(twice.file >= 0 && ftruncate(twice.file, before + size) == 0);
  twice.one = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, twice.file, before);
  twice.other = mmap(NULL, size, PROT_READ, MAP_SHARED, twice.file, before);
  CHECK(twice.one != MAP_FAILED && twice.other != MAP_FAILED);
  return twice;
}

static void put(gex_TM_t pair, gex_Rank_t to, unsigned char* dest, unsigned char fill, size_t n) {
  static unsigned char source[large];
  memset(source, fill, n);
  CHECK(gex_RMA_PutBlocking(pair, to, dest, source, n, 0) == 0);
}

// Each rank writes into the segments of all, at its own offsets: a word, some bytes, many bytes.
static void write_to_all(gex_TM_t pair, unsigned char life) {
  for (gex_Rank_t to = 0; to < job_ranks; ++to) {
    void* there = NULL;
    uintptr_t length = 0;
    CHECK(gex_Segment_QueryBound(pair, to, &there, NULL, &length) == GASNET_OK && length == size);
    unsigned char* mine = (unsigned char*)there + (size_t)(job_me % 2) * (size / 2);
    if (job_me >= 2) continue;
    put(pair, to, mine, (unsigned char)(life + job_me), large);
    put(pair, to, mine + large, (unsigned char)(life + job_me + 10), 8);
    put(pair, to, mine + large + 64, (unsigned char)(life + job_me + 20), 1000);
  }
}

static void check_what_came(const unsigned char* seen, unsigned char life) {
  for (unsigned from = 0; from < 2 && from < job_ranks; ++from) {
    const unsigned char* mine = seen + (size_t)from * (size / 2);
    CHECK(mine[0] == life + from && mine[large - 1] == life + from);
    CHECK(mine[large] == life + from + 10 && mine[large + 7] == life + from + 10);
    CHECK(mine[large + 64] == life + from + 20 && mine[large + 64 + 999] == life + from + 20);
  }
}

// Peers get what the owner stores.
static void read_from_all(gex_TM_t pair, unsigned char expected) {
  for (gex_Rank_t from = 0; from < job_ranks; ++from) {
    void* there = NULL;
    unsigned char got[2] = {0, 0};
    CHECK(gex_Segment_QueryBound(pair, from, &there, NULL, NULL) == GASNET_OK);
    CHECK(gex_RMA_GetBlocking(pair, got, from, (unsigned char*)there + size - 2, 2, 0) == 0);
    CHECK(got[0] == expected + from && got[1] == expected + from + 1);
  }
}

static void one_life(gex_Client_t client, gex_EP_t endpoint, unsigned char life) {
  Twice twice = map_twice();
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_t more = GEX_EP_INVALID;
  twice.one[0] = 99;
  CHECK(gex_Segment_Create(&segment, client, twice.one, size, GEX_MK_HOST, 0) == GASNET_OK);
  close(twice.file);
  CHECK(gex_Segment_QueryAddr(segment) == twice.one);
  CHECK(twice.one[0] == 99 && twice.other[0] == 99);
  CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(more, segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(job_team, &more, 1, 0) == GASNET_OK);
  gex_TM_t pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(more));
  write_to_all(pair, life);
  job_barrier();
  check_what_came(twice.one, life);
  check_what_came(twice.other, life);
  twice.one[size - 2] = (unsigned char)(life + job_me);
  twice.one[size - 1] = (unsigned char)(life + job_me + 1);
  CHECK(twice.other[size - 1] == life + job_me + 1);
  job_barrier();
  read_from_all(pair, life);
  job_barrier();
  gex_EP_Destroy(more, 0);
  gex_Segment_Destroy(segment, 0);
  // The mappings of the client are unchanged.
  twice.one[1] = 77;
  CHECK(twice.other[1] == 77 && twice.other[size - 2] == life + job_me);
  munmap(twice.one, size);
  munmap((void*)twice.other, size);
  job_barrier();
}

// Both segments are in the first two pages, side by side.
static void two_on_a_page(gex_Client_t client, gex_EP_t endpoint, int flags, int file) {
  unsigned char* memory = mmap(NULL, before, PROT_READ | PROT_WRITE, flags, file, 0);
  CHECK(memory != MAP_FAILED);
  gex_Segment_t first = GEX_SEGMENT_INVALID;
  gex_Segment_t second = GEX_SEGMENT_INVALID;
  gex_EP_t more = GEX_EP_INVALID;
  CHECK(gex_Segment_Create(&first, client, memory, 5000, GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(gex_Segment_Create(&second, client, memory + 5000, 3000, GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(more, second, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(job_team, &more, 1, 0) == GASNET_OK);
  gex_TM_t pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(more));
  const gex_Rank_t next = (job_me + 1) % job_ranks;
  void* there = NULL;
  CHECK(gex_Segment_QueryBound(pair, next, &there, NULL, NULL) == GASNET_OK);
  job_barrier();
  gex_Segment_Destroy(first, 0);
  job_barrier();
  put(pair, next, there, 33, 3000);
  job_barrier();
  CHECK(memory[5000] == 33 && memory[7999] == 33);
  gex_EP_Destroy(more, 0);
  gex_Segment_Destroy(second, 0);
  CHECK(memory[5000] == 33);
  munmap(memory, before);
  job_barrier();
}

static void share_pages(gex_Client_t client, gex_EP_t endpoint) {
  const int file = memfd_create("client", 0);
  CHECK(file >= 0 && ftruncate(file, 8000) == 0);
  two_on_a_page(client, endpoint, MAP_SHARED, file);
  two_on_a_page(client, endpoint, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  close(file);
}

// More segments in sequence than a rank can have at once.
static void grow(gex_Client_t client) {
  for (size_t pages = 1; pages <= 100; ++pages) {
    const size_t length = pages * 64 * 1024;
    const int file = memfd_create("client", 0);
    CHECK(file >= 0 && ftruncate(file, (off_t)length) == 0);
    void* memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    CHECK(gex_Segment_Create(&segment, client, memory, length, GEX_MK_HOST, 0) == GASNET_OK);
    gex_Segment_Destroy(segment, 0);
    munmap(memory, length);
    close(file);
  }
}

int main(int argc, char** argv) {
  job_join(&argc, &argv, 1 << 20);
  gex_EP_t endpoint = gex_TM_QueryEP(job_team);
  for (int life = 0; life < lives; ++life)
    one_life(gex_EP_QueryClient(endpoint), endpoint, (unsigned char)(30 + 40 * life));
  share_pages(gex_EP_QueryClient(endpoint), endpoint);
  grow(gex_EP_QueryClient(endpoint));
  if (job_me == 0) puts("done");
  gasnet_exit(0);
}
