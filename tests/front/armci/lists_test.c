// Lists of pieces, compared with a plain loop. The argument is the seed.
#include "job.h"

enum { area = 256 << 10, most_lists = 4, most_pieces = 40, rounds = 40 };

static unsigned char* blocks[job_most];
static unsigned char mine[area];
static unsigned char got[area];
static unsigned char expected[area];

struct Lists {
  armci_giov_t each[most_lists];
  void* sources[most_lists][most_pieces];
  void* targets[most_lists][most_pieces];
  int length;
};

static void shuffle(void** pointers, int length) {
  for (int i = length; i > 1; --i) {
    const int other = job_random(i);
    void* const swap = pointers[i - 1];
    pointers[i - 1] = pointers[other];
    pointers[other] = swap;
  }
}

// The pieces have sizes that are multiples of the unit, with gaps, in any order; some lists are
// empty.
static void make_lists(struct Lists* lists, unsigned char* source, unsigned char* target,
                       int unit) {
  const int max_bytes = job_random(2) ? 1000 : 64;
  long from = 0;
  long to = 0;
  lists->length = 1 + job_random(most_lists);
  for (int i = 0; i < lists->length; ++i) {
    armci_giov_t* list = &lists->each[i];
    list->src_ptr_array = lists->sources[i];
    list->dst_ptr_array = lists->targets[i];
    list->bytes = unit * job_random(max_bytes / unit + 1);
    list->ptr_array_len = job_random(most_pieces + 1);
    for (int j = 0; j < list->ptr_array_len; ++j) {
      lists->sources[i][j] = source + from;
      lists->targets[i][j] = target + to;
      from += list->bytes + unit * (long)job_random(3);
      to += list->bytes + unit * (long)job_random(3);
    }
    shuffle(lists->sources[i], list->ptr_array_len);
    shuffle(lists->targets[i], list->ptr_array_len);
  }
}

// Copies a piece with a plain loop: `source` and `target` replace the memory of the lists.
static void copy_plainly(const struct Lists* lists, const unsigned char* source_base,
                         const unsigned char* source, const unsigned char* target_base,
                         unsigned char* target) {
  for (int i = 0; i < lists->length; ++i)
    for (int j = 0; j < lists->each[i].ptr_array_len; ++j)
      memcpy(target + ((unsigned char*)lists->targets[i][j] - target_base),
             source + ((unsigned char*)lists->sources[i][j] - source_base),
             (size_t)lists->each[i].bytes);
}

static void puts_and_gets(int round) {
  static struct Lists lists;
  unsigned char* there = blocks[job_right];
  make_lists(&lists, mine, there, 1 + 7 * job_random(2));
  job_fill(mine, area);
  memset(expected, 0x55, area);
  ARMCI_Put(expected, there, area, job_right);
  copy_plainly(&lists, mine, mine, there, expected);
  CHECK_INT((round % 2 ? ARMCI_PutV : PARMCI_PutV)(lists.each, lists.length, job_right), 0);
  ARMCI_Get(there, got, area, job_right);
  CHECK_BYTES(got, expected, area);
  make_lists(&lists, there, mine, 1);
  memset(mine, 0x66, area);
  memset(expected, 0x66, area);
  copy_plainly(&lists, there, got, mine, expected);
  CHECK_INT((round % 2 ? ARMCI_GetV : PARMCI_GetV)(lists.each, lists.length, job_right), 0);
  CHECK_BYTES(mine, expected, area);
}

static void accumulates(void) {
  static struct Lists lists;
  unsigned char* there = blocks[job_right];
  long scale = -3;
  long* sources = (long*)(void*)mine;
  long* sums = (long*)(void*)expected;
  make_lists(&lists, mine, there, sizeof(long));
  for (int i = 0; i < area / (int)sizeof(long); ++i) sources[i] = job_random(1000);
  for (int i = 0; i < area / (int)sizeof(long); ++i) sums[i] = job_random(1000);
  ARMCI_Put(sums, there, area, job_right);
  for (int i = 0; i < lists.length; ++i)
    for (int j = 0; j < lists.each[i].ptr_array_len; ++j)
      for (int k = 0; k < lists.each[i].bytes / (int)sizeof(long); ++k)
        sums[((unsigned char*)lists.targets[i][j] - there) / (int)sizeof(long) + k] +=
            scale * ((long*)lists.sources[i][j])[k];
  CHECK_INT(ARMCI_AccV(ARMCI_ACC_LNG, &scale, lists.each, lists.length, job_right), 0);
  ARMCI_Get(there, got, area, job_right);
  CHECK_BYTES(got, expected, area);
}

// All add to the same elements of all processes, each in its own order, one element twice.
static void contended(void) {
  enum { pieces = 30, repeats = 8 };
  double two[2] = {1, 2};
  double scale[2] = {0, 1};  // the imaginary unit
  void* sources[pieces + 1];
  void* targets[pieces + 1];
  double* own = (double*)(void*)blocks[job_me];
  for (int i = 0; i < 4 * pieces; ++i) own[i] = i;
  ARMCI_Barrier();
  for (int i = 0; i < repeats * job_ranks; ++i) {
    const int to = (i + job_me) % job_ranks;
    for (int j = 0; j < pieces; ++j) sources[j] = two;
    for (int j = 0; j < pieces; ++j) targets[j] = blocks[to] + 32 * ((j * 7 + job_me) % pieces);
    sources[pieces] = two;
    targets[pieces] = blocks[to];
    armci_giov_t list = {sources, targets, sizeof(two), pieces + 1};
    CHECK_INT(ARMCI_AccV(ARMCI_ACC_DCP, scale, &list, 1, to), 0);
  }
  ARMCI_Barrier();
  for (int i = 0; i < pieces; ++i) {
    const int times = repeats * job_ranks * (i == 0 ? 2 : 1);
    CHECK_REAL(own[4 * i], 4 * i - 2 * times);
    CHECK_REAL(own[4 * i + 1], 4 * i + 1 + times);
    CHECK_REAL(own[4 * i + 2], 4 * i + 2);
    CHECK_REAL(own[4 * i + 3], 4 * i + 3);
  }
}

static void nothing(void) {
  armci_giov_t list = {NULL, NULL, 8, 0};
  CHECK_INT(ARMCI_PutV(&list, 1, job_right), 0);
  CHECK_INT(ARMCI_GetV(&list, 0, job_right), 0);
}

// Both sides of a list of the caller may be its own private memory.
static void private_memory(void) {
  unsigned char here[10] = "123456789";
  unsigned char there[10] = "";
  void* sources[] = {here, here + 4, here + 8};
  void* targets[] = {there + 8, there, there + 4};
  armci_giov_t list = {sources, targets, 1, 3};
  ARMCI_PutV(&list, 1, job_me);
  CHECK_BYTES(there, "5\0\0\0009\0\0\0001", 10);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1);
  ARMCI_Malloc((void**)blocks, area);
  for (int round = 0; round < rounds; ++round) {
    puts_and_gets(round);
    accumulates();
  }
  ARMCI_Barrier();
  contended();
  nothing();
  private_memory();
  ARMCI_Barrier();
  ARMCI_Free(blocks[job_me]);
  return job_end();
}
