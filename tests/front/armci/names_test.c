// A tool defines some calls itself, which call the functions with the other names. These must
// behave like the calls.
#include "job.h"

static int puts_seen;
static int barriers_seen;
static unsigned char* blocks[job_most];

int ARMCI_Put(void* src, void* dst, int size, int target) {
  ++puts_seen;
  return PARMCI_Put(src, dst, size, target);
}

void ARMCI_Barrier(void) {
  ++barriers_seen;
  PARMCI_Barrier();
}

static void tool(void) {
  int number = 40 + job_me;
  ARMCI_Put(&number, blocks[job_right], sizeof(number), job_right);
  PARMCI_Put(&number, blocks[job_right] + 8, sizeof(number), job_right);
  ARMCI_Barrier();
  CHECK_INT(puts_seen, 1);
  CHECK_INT(barriers_seen, 1);
  CHECK_INT(((int*)(void*)blocks[job_me])[0], 40 + job_left);
  CHECK_INT(((int*)(void*)blocks[job_me])[2], 40 + job_left);
  PARMCI_Barrier();
}

static void values(void) {
  unsigned char* there = blocks[job_right];
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  PARMCI_PutValueLong(-(5L << 40), there, job_right);
  PARMCI_PutValueFloat(0.5F, there + 8, job_right);
  PARMCI_PutValueDouble(0.25, there + 16, job_right);
  CHECK_INT(PARMCI_GetValueLong(there, job_right), -(5L << 40));
  CHECK_REAL(PARMCI_GetValueFloat(there + 8, job_right), 0.5);
  CHECK_REAL(PARMCI_GetValueDouble(there + 16, job_right), 0.25);
  PARMCI_NbPutValueInt(6, there, job_right, &handle);
  PARMCI_Wait(&handle);
  PARMCI_NbPutValueLong(7, there + 8, job_right, NULL);
  PARMCI_NbPutValueFloat(8, there + 16, job_right, NULL);
  PARMCI_NbPutValueDouble(9, there + 24, job_right, NULL);
  PARMCI_WaitProc(job_right);
  CHECK_INT(PARMCI_GetValueInt(there, job_right), 6);
  CHECK_INT(PARMCI_GetValueLong(there + 8, job_right), 7);
  CHECK_REAL(PARMCI_GetValueFloat(there + 16, job_right), 8);
  CHECK_REAL(PARMCI_GetValueDouble(there + 24, job_right), 9);
}

// Each second int of 10. A put, accumulates of 1, 2 and 3 times the same, and a get.
static void sections_and_lists(void) {
  int numbers[10];
  int got[10] = {0};
  int packed[] = {4};
  int strides[] = {8};
  int counts[] = {4, 10};
  int one = 1;
  int two = 2;
  void* here[10];
  void* there[10];
  for (int i = 0; i < 10; ++i) numbers[i] = i + job_me;
  for (int i = 0; i < 10; ++i) here[i] = &numbers[i];
  for (int i = 0; i < 10; ++i) there[i] = blocks[job_right] + 8 * i;
  armci_giov_t list = {here, there, 4, 10};
  unsigned char* block = blocks[job_right];
  PARMCI_NbPutS(numbers, packed, block, strides, counts, 1, job_right, NULL);
  PARMCI_AccS(ARMCI_ACC_INT, &one, numbers, packed, block, strides, counts, 1, job_right);
  PARMCI_NbAccS(ARMCI_ACC_INT, &two, numbers, packed, block, strides, counts, 1, job_right, NULL);
  PARMCI_NbGetS(block, strides, got, packed, counts, 1, job_right, NULL);
  PARMCI_WaitAll();
  for (int i = 0; i < 10; ++i) CHECK_INT(got[i], 4 * numbers[i]);
  PARMCI_NbPutV(&list, 1, job_right, NULL);
  PARMCI_AccV(ARMCI_ACC_INT, &one, &list, 1, job_right);
  PARMCI_NbAccV(ARMCI_ACC_INT, &two, &list, 1, job_right, NULL);
  for (int i = 0; i < 10; ++i) here[i] = &got[i];
  armci_giov_t back = {there, here, 4, 10};
  memset(got, 0, sizeof(got));
  PARMCI_NbGetV(&back, 1, job_right, NULL);
  PARMCI_WaitAll();
  for (int i = 0; i < 10; ++i) CHECK_INT(got[i], 4 * numbers[i]);
  PARMCI_NbPut(numbers, block, sizeof(numbers), job_right, NULL);
  PARMCI_NbAcc(ARMCI_ACC_INT, &two, numbers, block, sizeof(numbers), job_right, NULL);
  PARMCI_WaitAll();
  PARMCI_Get(block, got, sizeof(got), job_right);
  for (int i = 0; i < 10; ++i) CHECK_INT(got[i], 3 * numbers[i]);
}

static void flags(void) {
  int strides[] = {8};
  int counts[] = {4, 2};
  int numbers[] = {1, 2, 3};
  const int* own = (const int*)(const void*)blocks[job_me];
  int* there = (int*)(void*)blocks[job_right];
  PARMCI_Barrier();
  PARMCI_Put_flag(numbers, there, 12, there + 8, 1000, job_right);
  job_await(own + 8, 1000);
  CHECK_INT(own[2], 3);
  numbers[2] = 4;
  parmci_msg_barrier();
  PARMCI_PutS_flag(numbers, strides, there, strides, counts, 1, there + 8, 1001, job_right);
  job_await(own + 8, 1001);
  CHECK_INT(own[2], 4);
  numbers[2] = 5;
  parmci_msg_barrier();
  PARMCI_PutS_flag_dir(numbers, strides, there, strides, counts, 1, there + 8, 1002, job_right);
  job_await(own + 8, 1002);
  CHECK_INT(own[2], 5);
}

static void memory(void) {
  ARMCI_Group world;
  void* others[job_most];
  ARMCI_Group_get_world(&world);
  CHECK_INT(PARMCI_Malloc_memdev(others, 8, "host"), 0);
  PARMCI_PutValueInt(3, others[job_right], job_right);
  CHECK_INT(PARMCI_Free(others[job_me]), 0);
  CHECK_INT(PARMCI_Malloc_group_memdev(others, 8, &world, "host"), 0);
  PARMCI_PutValueInt(3, others[job_right], job_right);
  CHECK_INT(PARMCI_Free_group(others[job_me], &world), 0);
}

int main(int argc, char** argv) {
  CHECK_INT(PARMCI_Init(), 0);
  CHECK_INT(PARMCI_Init_thread(0), 0);
  CHECK_INT(PARMCI_Init_args(&argc, &argv), 0);
  job_start(&argc, &argv, 0);
  ARMCI_Malloc((void**)blocks, 4096);
  memset(blocks[job_me], 0, 4096);
  parmci_msg_barrier();
  tool();
  values();
  sections_and_lists();
  flags();
  memory();
  ARMCI_Free(blocks[job_me]);
  for (int i = 0; i < 3; ++i) PARMCI_Finalize();
  CHECK_INT(PARMCI_Initialized(), 1);
  return job_end();
}
