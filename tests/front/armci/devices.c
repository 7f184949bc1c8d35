// Device memory as the local side: puts, gets and accumulates of every form, messages and
// reductions. The memory comes from OpenSHMEM, in the same program.
#include <shmemx.h>

#include "job.h"

enum { longs = 40000, step = 3 };

static void* blocks[job_most];
static long* there;
static long* device;
static long host[longs];

static void write_device(long first) {
  for (long i = 0; i < longs; ++i) host[i] = first + i;
  CHECK(shmemx_device_memcpy(device, host, sizeof(host)) == 0);
}

static void read_device(void) {
  CHECK(shmemx_device_memcpy(host, device, sizeof(host)) == 0);
}

static void read_block(void) {
  ARMCI_Get(there, host, (int)sizeof(host), job_right);
}

static void pieces(int count) {
  const int bytes = count * (int)sizeof(long);
  write_device(1000 * job_me + count);
  ARMCI_Put(device, there, bytes, job_right);
  ARMCI_Fence(job_right);
  read_block();
  CHECK_INT(host[count - 1], 1000 * job_me + 2 * count - 1);
  long two = 2;
  ARMCI_Acc(ARMCI_ACC_LNG, &two, device, there, bytes, job_right);
  ARMCI_Fence(job_right);
  read_block();
  CHECK_INT(host[count - 1], 3 * (1000 * job_me + 2 * count - 1));
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_NbGet(there, device, bytes, job_right, &handle);
  ARMCI_Wait(&handle);
  read_device();
  CHECK_INT(host[count - 1], 3 * (1000 * job_me + 2 * count - 1));
  ARMCI_Barrier();
}

// Transfers every third long of a device to consecutive longs of the other process.
static void sections_and_lists(void) {
  enum { rows = 500 };
  int apart = step * (int)sizeof(long);
  int together = sizeof(long);
  int count[2] = {sizeof(long), rows};
  write_device(7);
  ARMCI_PutS(device, &apart, there, &together, count, 1, job_right);
  ARMCI_Fence(job_right);
  read_block();
  CHECK_INT(host[rows - 1], 7 + step * (rows - 1));
  write_device(0);
  ARMCI_GetS(there, &together, device, &apart, count, 1, job_right);
  read_device();
  CHECK_INT(host[step * (rows - 1)], 7 + step * (rows - 1));
  CHECK_INT(host[step * (rows - 1) - 1], step * (rows - 1) - 1);
  long one = 1;
  ARMCI_AccS(ARMCI_ACC_LNG, &one, device, &apart, there, &together, count, 1, job_right);
  ARMCI_Fence(job_right);
  read_block();
  CHECK_INT(host[rows - 1], 2 * (7 + step * (rows - 1)));
  void* sources[2] = {device, device + 100};
  void* targets[2] = {there + 50, there};
  armci_giov_t list = {.src_ptr_array = sources,
                       .dst_ptr_array = targets,
                       .ptr_array_len = 2,
                       .bytes = 10 * (int)sizeof(long)};
  write_device(5);
  ARMCI_PutV(&list, 1, job_right);
  ARMCI_AccV(ARMCI_ACC_LNG, &one, &list, 1, job_right);
  ARMCI_Fence(job_right);
  read_block();
  CHECK_INT(host[50 + 9], 2 * (5 + 9));
  CHECK_INT(host[9], 2 * (5 + 109));
  armci_giov_t back = {.src_ptr_array = targets,
                       .dst_ptr_array = sources,
                       .ptr_array_len = 2,
                       .bytes = 10 * (int)sizeof(long)};
  ARMCI_GetV(&back, 1, job_right);
  read_device();
  CHECK_INT(host[109], 2 * (5 + 109));
  ARMCI_Barrier();
}

static void words(void) {
  ARMCI_PutValueLong(40, there, job_right);
  ARMCI_Fence(job_right);
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, device, there, 2, job_right);
  read_device();
  CHECK_INT(host[0], 40);
  write_device(9);
  ARMCI_Rmw(ARMCI_SWAP_LONG, device, there, 0, job_right);
  read_device();
  CHECK_INT(host[0], 42);
  CHECK_INT(ARMCI_GetValueLong(there, job_right), 9);
  ARMCI_Barrier();
}

static void memory_of_this_process(void) {
  write_device(3);
  ARMCI_Copy(device, device + 1000, 800);
  ARMCI_Put(device, device + 2000, 800, job_me);
  read_device();
  CHECK_INT(host[1099], 102);
  CHECK_INT(host[2099], 102);
  int apart = step * (int)sizeof(long);
  int count[2] = {sizeof(long), 30};
  char packed[30 * sizeof(long)];
  armci_write_strided(device, 1, &apart, count, packed);
  long last = 0;
  memcpy(&last, packed + 29 * sizeof(long), sizeof(last));
  CHECK_INT(last, 3 + step * 29);
}

static void messages(void) {
  write_device(job_me);
  char plus[] = "+";
  armci_msg_lgop(device, 1000, plus);
  read_device();
  CHECK_INT(host[999], (long)job_ranks * (job_ranks - 1) / 2 + 999L * job_ranks);
  write_device(100 * job_me);
  armci_msg_bcast(device, 8000, job_ranks - 1);
  read_device();
  CHECK_INT(host[999], 100 * (job_ranks - 1) + 999);
  write_device(100 * job_me);
  if (job_me == 0 && job_ranks > 1) armci_msg_snd(5, device, 800, 1);
  if (job_me == 1) {
    int bytes = 0;
    armci_msg_rcv(5, device + 1000, 800, &bytes, 0);
    read_device();
    CHECK_INT(host[1099], 99);
  }
  ARMCI_Barrier();
}

int main(int argc, char** argv) {
  shmem_init();
  job_start(&argc, &argv, 0);
  ARMCI_Malloc(blocks, sizeof(host));
  there = blocks[job_right];
  device = shmemx_device_malloc(0, sizeof(host));
  if (argc > 1) ARMCI_Free_local(device); /* which ends the job */
  const int counts[] = {1, 3, 512, 513, 32768, 32769, longs};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) pieces(counts[i]);
  sections_and_lists();
  words();
  memory_of_this_process();
  messages();
  shmemx_device_free(device);
  ARMCI_Free(blocks[job_me]);
  const int failures = job_end();
  shmem_finalize();
  return failures;
}
