// Read-modify-write, mutexes, notifications, fences and barriers.
#include "job.h"

enum { rounds = 200, mutex_rounds = 12 };

static long* blocks[job_most];

// Numbers drawn by all processes are unique: each is swapped into a separate element.
static void draw_int(int home) {
  int* marks = (int*)(void*)(blocks[home] + 8);
  int* counter = (int*)(void*)blocks[home];
  for (int i = 0; i < rounds; ++i) {
    int drawn = -1;
    CHECK_INT(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &drawn, counter, 1, home), 0);
    CHECK(drawn >= 0 && drawn < rounds * job_ranks);
    int mark = 1;
    CHECK_INT(ARMCI_Rmw(ARMCI_SWAP, &mark, marks + drawn, 0, home), 0);
    CHECK_INT(mark, 0);
  }
  ARMCI_Barrier();
  if (job_me == home) {
    CHECK_INT(*counter, rounds * job_ranks);
    CHECK_INT(counter[1], 0);  // the next int is not touched
    for (int i = 0; i < rounds * job_ranks; ++i) CHECK_INT(marks[i], 1);
  }
  ARMCI_Barrier();
}

// Numbers beyond 32 bits are counted down. A process returns one for another that it takes.
static void draw_long(int home) {
  const long start = 1L << 40;
  long taken = 0;
  long given = 0;
  if (job_me == home) blocks[home][0] = start;
  if (job_me == home) blocks[home][1] = 0;
  ARMCI_Barrier();
  long last = start + 1;
  for (int i = 0; i < rounds; ++i) {
    long drawn = -1;
    CHECK_INT(PARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &drawn, blocks[home], -3, home), 0);
    CHECK(drawn < last && (start - drawn) % 3 == 0);
    last = drawn;
    given += drawn;
    CHECK_INT(ARMCI_Rmw(ARMCI_SWAP_LONG, &drawn, blocks[home] + 1, 0, home), 0);
    taken += drawn;
  }
  ARMCI_Barrier();
  long sums[2] = {given, taken};
  armci_msg_lgop(sums, 2, "+");
  if (job_me == home) {
    CHECK_INT(blocks[home][0], start - 3L * rounds * job_ranks);
    CHECK_INT(sums[0], sums[1] + blocks[home][1]);
  }
  ARMCI_Barrier();
}

static int mutexes_of(int rank) {
  return (rank + 2) % 3;  // 2, 0, 1, 2 ...
}

// Each mutex protects a counter of its process.
static void mutexes(void) {
  for (int i = 0; i < 8; ++i) blocks[job_me][i] = 0;
  CHECK_INT(ARMCI_Create_mutexes(mutexes_of(job_me)), 0);
  ARMCI_Barrier();
  for (int round = 0; round < mutex_rounds; ++round)
    for (int i = 0; i < job_ranks; ++i) {
      const int proc = (i + job_me) % job_ranks;
      for (int mutex = 0; mutex < mutexes_of(proc); ++mutex) {
        ARMCI_Lock(mutex, proc);
        const long count = ARMCI_GetValueLong(blocks[proc] + mutex, proc);
        ARMCI_PutValueLong(count + 1, blocks[proc] + mutex, proc);
        ARMCI_Unlock(mutex, proc);
      }
    }
  ARMCI_Barrier();
  for (int mutex = 0; mutex < mutexes_of(job_me); ++mutex)
    CHECK_INT(blocks[job_me][mutex], mutex_rounds * job_ranks);
  ARMCI_Barrier();
  // A counter of another process than that of the mutex, under two mutexes.
  const int last = job_ranks - 1;
  for (int round = 0; round < mutex_rounds; ++round) {
    PARMCI_Lock(0, 0);
    PARMCI_Lock(1, 0);
    long count = 0;
    ARMCI_Get(blocks[last] + 5, &count, sizeof(count), last);
    ++count;
    ARMCI_Put(&count, blocks[last] + 5, sizeof(count), last);
    PARMCI_Unlock(0, 0);
    PARMCI_Unlock(1, 0);
  }
  ARMCI_Barrier();
  CHECK_INT(ARMCI_Destroy_mutexes(), 0);
  if (job_me == last) CHECK_INT(blocks[last][5], mutex_rounds * job_ranks);
  ARMCI_Barrier();
}

static void no_mutexes(void) {
  CHECK_INT(PARMCI_Create_mutexes(0), 0);
  CHECK_INT(PARMCI_Destroy_mutexes(), 0);
}

static void notifications(void) {
  enum { size = 1000 };
  int numbers[size];
  int count = 0;
  const int* own = (const int*)(const void*)blocks[job_me];
  for (int round = 1; round <= 20; ++round) {
    for (int i = 0; i < size; ++i) numbers[i] = round * 1000 + i + job_me;
    ARMCI_Put(numbers, blocks[job_right], sizeof(numbers), job_right);
    CHECK_INT(armci_notify(job_right), 0);
    CHECK_INT(armci_notify_wait(job_left, &count), 0);
    CHECK_INT(count, round);
    for (int i = 0; i < size; ++i) numbers[i] = round * 1000 + i + job_left;
    CHECK_BYTES(own, numbers, sizeof(numbers));
    armci_msg_barrier();
  }
  for (int i = 0; i < 5; ++i)  // nobody waits yet
    for (int proc = 0; proc < job_ranks; ++proc) armci_notify(proc);
  for (int i = 1; i <= 5; ++i)
    for (int proc = 0; proc < job_ranks; ++proc) {
      armci_notify_wait(proc, &count);
      CHECK_INT(count, i + (proc == job_left ? 20 : 0));
    }
  armci_notify(job_left);
  CHECK_INT(armci_notify_wait(job_right, NULL), 0);
}

enum Fence { one, all, group, barrier, copy_of_one, copy_of_all, fences };

// Data is visible at the target after a fence of each kind, and a word from the caller.
static void fence(enum Fence kind, int size) {
  static unsigned char data[100000];
  static unsigned char expected[100000];
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  memset(data, size + (int)kind + job_me, (size_t)size);
  memset(expected, size + (int)kind + job_left, (size_t)size);
  ARMCI_Put(data, blocks[job_right], size, job_right);
  int word = size;
  switch (kind) {
    case one:
      ARMCI_Fence(job_right);
      ARMCI_PutValueInt(size, (char*)blocks[job_right] + 100032, job_right);
      job_await((int*)(void*)((char*)blocks[job_me] + 100032), size);
      break;
    case all:
      ARMCI_AllFence();
      armci_msg_snd(1, &word, sizeof(word), job_right);
      armci_msg_rcv(1, &word, sizeof(word), NULL, job_left);
      break;
    case group:
      ARMCI_GroupFence(&world);
      armci_msg_group_barrier(&world);
      break;
    case copy_of_one:
      PARMCI_Fence(job_right);
      parmci_msg_barrier();
      break;
    case copy_of_all:
      PARMCI_AllFence();
      parmci_msg_group_barrier(&world);
      break;
    default:
      (size % 2 ? ARMCI_Barrier : PARMCI_Barrier)();
  }
  CHECK_BYTES(blocks[job_me], expected, (size_t)size);
  armci_msg_barrier();
}

// No process leaves a barrier before all have entered.
static void barriers(void) {
  for (int round = 1; round <= 50; ++round) {
    ARMCI_PutValueInt(round, blocks[job_right], job_right);
    if (round % job_ranks == job_me) sched_yield();
    ARMCI_Barrier();
    CHECK_INT(*(int*)(void*)blocks[job_me], round);
    armci_msg_barrier();
  }
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  ARMCI_Malloc((void**)blocks, 100096);
  memset(blocks[job_me], 0, 100096);
  ARMCI_Barrier();
  draw_int(0);
  if (job_ranks > 1) draw_int(job_ranks - 1);
  draw_long(job_ranks - 1);
  mutexes();
  no_mutexes();
  mutexes();
  notifications();
  ARMCI_Barrier();
  for (int kind = 0; kind < fences; ++kind)
    for (int size = 1; size <= 100000; size = size * 10 + kind % 2) fence((enum Fence)kind, size);
  ARMCI_Barrier();
  barriers();
  ARMCI_Free(blocks[job_me]);
  return job_end();
}
