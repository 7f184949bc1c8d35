// Non-blocking calls: with handles, without, and many with one handle.
#include "job.h"

enum { zone = 64 << 10, calls = 40 };

// How a program waits. Some ways have no handle.
enum Way { by_wait, by_test, by_process, by_all, by_aggregate, ways };

static unsigned char* blocks[job_most];

struct Begun {
  enum Way way;
  int proc;
  armci_hdl_t handle;
};

static struct Begun begin(enum Way way, int proc) {
  struct Begun begun = {.way = way, .proc = proc};
  ARMCI_INIT_HANDLE(&begun.handle);
  if (way == by_aggregate) ARMCI_SET_AGGREGATE_HANDLE(&begun.handle);
  return begun;
}

static armci_hdl_t* handle_of(struct Begun* begun) {
  return begun->way == by_process || begun->way == by_all ? NULL : &begun->handle;
}

static void finish(struct Begun* begun) {
  switch (begun->way) {
    case by_aggregate:
      ARMCI_UNSET_AGGREGATE_HANDLE(&begun->handle);
      CHECK_INT(ARMCI_Wait(&begun->handle), 0);
      break;
    case by_wait:
      CHECK_INT(ARMCI_Wait(&begun->handle), 0);
      break;
    case by_test:
      while (ARMCI_Test(&begun->handle) != 0) sched_yield();
      break;
    case by_process:
      CHECK_INT(ARMCI_WaitProc(begun->proc), 0);
      break;
    default:
      CHECK_INT(ARMCI_WaitAll(), 0);
  }
}

// Each process has a zone in the block of its right neighbour.
static unsigned char* there(void) {
  return blocks[job_right] + job_me * zone;
}

// A handle belongs to one operation, so each call is waited for unless the handle aggregates.
static void one_after_the_other(enum Way way) {
  struct Begun begun = begin(way, job_right);
  const int aggregates = way == by_aggregate;
  armci_hdl_t* handle = handle_of(&begun);
  int numbers[100];
  int got[100] = {0};
  for (int i = 0; i < 100; ++i) numbers[i] = i * 3 + job_me + (int)way;
  CHECK_INT(ARMCI_NbPut(numbers, there(), sizeof(numbers), job_right, handle), 0);
  if (!aggregates) finish(&begun);
  CHECK_INT(ARMCI_NbGet(there(), got, sizeof(got), job_right, handle), 0);
  finish(&begun);
  CHECK_BYTES(got, numbers, sizeof(got));
  int scale = 2;
  begun = begin(way, job_right);
  CHECK_INT(
      ARMCI_NbAcc(ARMCI_ACC_INT, &scale, numbers, there(), sizeof(numbers), job_right, handle), 0);
  finish(&begun);
  begun = begin(way, job_right);
  CHECK_INT(ARMCI_NbGet(there(), got, sizeof(got), job_right, handle), 0);
  finish(&begun);
  for (int i = 0; i < 100; ++i) CHECK_INT(got[i], 3 * numbers[i]);
}

// Transfers every second int of 20 rows, and pieces of lists.
static void shapes(enum Way way) {
  struct Begun begun = begin(way, job_right);
  armci_hdl_t* handle = handle_of(&begun);
  int strides[] = {8};
  int packed[] = {4};
  int counts[] = {4, 20};
  int numbers[20];
  int got[20] = {0};
  int scale = 5;
  for (int i = 0; i < 20; ++i) numbers[i] = i + 7 * (int)way;
  CHECK_INT(ARMCI_NbPutS(numbers, packed, there(), strides, counts, 1, job_right, handle), 0);
  finish(&begun);
  begun = begin(way, job_right);
  CHECK_INT(ARMCI_NbAccS(ARMCI_ACC_INT, &scale, numbers, packed, there(), strides, counts, 1,
                         job_right, handle),
            0);
  finish(&begun);
  begun = begin(way, job_right);
  CHECK_INT(ARMCI_NbGetS(there(), strides, got, packed, counts, 1, job_right, handle), 0);
  finish(&begun);
  for (int i = 0; i < 20; ++i) CHECK_INT(got[i], 6 * numbers[i]);
  void* here[20];
  void* others[20];
  for (int i = 0; i < 20; ++i) here[i] = &numbers[i];
  for (int i = 0; i < 20; ++i) others[i] = there() + 12 * i;
  armci_giov_t list = {here, others, 4, 20};
  begun = begin(way, job_right);
  CHECK_INT(ARMCI_NbPutV(&list, 1, job_right, handle), 0);
  finish(&begun);
  begun = begin(way, job_right);
  CHECK_INT(ARMCI_NbAccV(ARMCI_ACC_INT, &scale, &list, 1, job_right, handle), 0);
  finish(&begun);
  for (int i = 0; i < 20; ++i) here[i] = &got[i];
  armci_giov_t back = {others, here, 4, 20};
  memset(got, 0, sizeof(got));
  begun = begin(way, job_right);
  CHECK_INT(ARMCI_NbGetV(&back, 1, job_right, handle), 0);
  finish(&begun);
  for (int i = 0; i < 20; ++i) CHECK_INT(got[i], 6 * numbers[i]);
}

static void values(enum Way way) {
  struct Begun begun = begin(way, job_right);
  armci_hdl_t* handle = handle_of(&begun);
  CHECK_INT(ARMCI_NbPutValueInt(1 + (int)way, there(), job_right, handle), 0);
  if (way != by_aggregate) finish(&begun);
  CHECK_INT(ARMCI_NbPutValueLong(2L << 40, there() + 8, job_right, handle), 0);
  if (way != by_aggregate) finish(&begun);
  CHECK_INT(ARMCI_NbPutValueFloat(0.5F, there() + 16, job_right, handle), 0);
  if (way != by_aggregate) finish(&begun);
  CHECK_INT(ARMCI_NbPutValueDouble(0.25, there() + 24, job_right, handle), 0);
  finish(&begun);
  CHECK_INT(ARMCI_GetValueInt(there(), job_right), 1 + (int)way);
  CHECK_INT(ARMCI_GetValueLong(there() + 8, job_right), 2L << 40);
  CHECK_REAL(ARMCI_GetValueFloat(there() + 16, job_right), 0.5);
  CHECK_REAL(ARMCI_GetValueDouble(there() + 24, job_right), 0.25);
}

// Gets from all processes are in flight together. They are waited for in reverse order.
static void many_at_once(void) {
  armci_hdl_t handles[calls];
  static int got[calls][500];
  int* own = (int*)(void*)blocks[job_me];
  ARMCI_Barrier();
  for (int i = 0; i < 500; ++i) own[i] = i + 1000 * job_me;
  ARMCI_Barrier();
  for (int i = 0; i < calls; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    PARMCI_NbGet((int*)(void*)blocks[i % job_ranks] + i, got[i], 4 * (500 - i), i % job_ranks,
                 &handles[i]);
  }
  for (int i = calls - 1; i >= 0; --i) {
    PARMCI_Wait(&handles[i]);
    CHECK_INT(got[i][0], i + 1000 * (i % job_ranks));
    CHECK_INT(got[i][499 - i], 499 + 1000 * (i % job_ranks));
  }
  for (int pass = 0; pass < 2; ++pass) {  // one handle for all; then none
    armci_hdl_t all;
    memset(got, 0, sizeof(got));
    ARMCI_INIT_HANDLE(&all);
    ARMCI_SET_AGGREGATE_HANDLE(&all);
    for (int i = 0; i < calls; ++i)
      ARMCI_NbGet(blocks[i % job_ranks], got[i], 2000, i % job_ranks, pass == 0 ? &all : NULL);
    ARMCI_UNSET_AGGREGATE_HANDLE(&all);
    if (pass == 0) ARMCI_Wait(&all);
    for (int i = 0; i < job_ranks && pass == 1; ++i) PARMCI_WaitProc(i);
    for (int i = 0; i < calls; ++i) CHECK_INT(got[i][499], 499 + 1000 * (i % job_ranks));
  }
  ARMCI_Barrier();
}

// Waits without outstanding operations.
static void nothing(void) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  CHECK_INT(ARMCI_Test(&handle), 0);
  CHECK_INT(ARMCI_Wait(&handle), 0);
  CHECK_INT(ARMCI_Wait(&handle), 0);
  CHECK_INT(PARMCI_Test(&handle), 0);
  CHECK_INT(PARMCI_WaitAll(), 0);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  ARMCI_Malloc((void**)blocks, job_ranks * (armci_size_t)zone);
  nothing();
  for (int way = 0; way < ways; ++way) {
    one_after_the_other((enum Way)way);
    shapes((enum Way)way);
    values((enum Way)way);
  }
  many_at_once();
  ARMCI_Barrier();
  ARMCI_Free(blocks[job_me]);
  return job_end();
}
