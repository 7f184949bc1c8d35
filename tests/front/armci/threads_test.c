// Threads that call concurrently: they take turns, and a thread that waits for other processes
// yields its turn.
#include <pthread.h>
#include <unistd.h>

#include "job.h"

enum { threads = 4, columns = 64, rows = 16, row = 128, area = rows * row, rounds = 100 };

static void** arrays;  // doubles, an area for each thread
static void** counters;
static int terms[threads];  // of each thread, in the array of its right neighbour

static void run(void* (*body)(void*)) {
  pthread_t running[threads];
  int numbers[threads];
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    CHECK_INT(pthread_create(&running[i], NULL, body, &numbers[i]), 0);
  }
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
}

// A section is sent to the neighbour and comes back, each with a non-blocking call.
static void* move_sections(void* argument) {
  const int me = *(int*)argument;
  double* there = (double*)arrays[job_right] + me * area;
  double out[columns * rows];
  double back[columns * rows];
  int here_stride = columns * (int)sizeof(double);
  int there_stride = row * (int)sizeof(double);
  int counts[2] = {columns * (int)sizeof(double), rows};
  for (int round = 0; round < rounds; ++round) {
    armci_hdl_t put;
    armci_hdl_t get;
    ARMCI_INIT_HANDLE(&put);
    ARMCI_INIT_HANDLE(&get);
    for (int i = 0; i < columns * rows; ++i) out[i] = me * 1e6 + round * 1e4 + i;
    ARMCI_NbPutS(out, &here_stride, there, &there_stride, counts, 1, job_right, &put);
    ARMCI_Wait(&put);
    ARMCI_NbGetS(there, &there_stride, back, &here_stride, counts, 1, job_right, &get);
    ARMCI_Wait(&get);
    if (memcmp(out, back, sizeof(out)) != 0) ++terms[me];  // wrong ones
  }
  return NULL;
}

static void sections_of_all_threads_arrive(void) {
  memset(terms, 0, sizeof(terms));
  run(move_sections);
  for (int i = 0; i < threads; ++i) CHECK_INT(terms[i], 0);
}

// All kinds of small operations on memory that all threads of all processes share.
static void* add_up(void* argument) {
  const int me = *(int*)argument;
  double one = 1;
  double apart[3] = {1, 0, 1};
  int stride = 2 * (int)sizeof(double);
  int counts[2] = {(int)sizeof(double), 2};
  for (int round = 0; round < rounds; ++round) {
    for (int proc = 0; proc < job_ranks; ++proc) {
      long before;
      long* word = (long*)counters[proc];
      double* sum = (double*)counters[proc] + 1;
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, word, 1, proc);
      ARMCI_AccS(ARMCI_ACC_DBL, &one, apart, &stride, sum, &stride, counts, 1, proc);
      ARMCI_PutValueLong(round, word + 8 + me + threads * job_me, proc);
      terms[me] += ARMCI_GetValueLong(word + 8 + me + threads * job_me, proc) == round ? 1 : 0;
    }
  }
  ARMCI_AllFence();
  return NULL;
}

static void operations_of_all_threads_count(void) {
  memset(terms, 0, sizeof(terms));
  run(add_up);
  ARMCI_Barrier();
  const long all = (long)threads * rounds * job_ranks;
  CHECK_INT(*(long*)counters[job_me], all);
  CHECK_REAL(((double*)counters[job_me])[1], (double)all);
  CHECK_REAL(((double*)counters[job_me])[3], (double)all);
  for (int i = 0; i < threads; ++i) CHECK_INT(terms[i], rounds * job_ranks);
  ARMCI_Barrier();
}

// The mutex of process 0 guards a number that is read and written by separate calls.
static void* count_in_turn(void* argument) {
  (void)argument;
  long* place = (long*)counters[0] + 4;
  for (int round = 0; round < 5; ++round) {
    ARMCI_Lock(0, 0);
    const long seen = ARMCI_GetValueLong(place, 0);
    if (round % 2 == 0) sched_yield();
    ARMCI_PutValueLong(seen + 1, place, 0);
    ARMCI_Unlock(0, 0);
  }
  return NULL;
}

static void a_mutex_has_one_thread_of_all_processes(void) {
  CHECK_INT(ARMCI_Create_mutexes(1), 0);
  ARMCI_Barrier();
  run(count_in_turn);
  ARMCI_Barrier();
  CHECK_INT(ARMCI_GetValueLong((long*)counters[0] + 4, 0), 5L * threads * job_ranks);
  ARMCI_Barrier();
  ARMCI_Destroy_mutexes();
}

// Each thread forwards what the thread with its number in the neighbour sends: all wait at once.
static void* pass_on(void* argument) {
  const int me = *(int*)argument;
  for (int round = 0; round < 10; ++round) {
    int found = -1;
    int size = 0;
    armci_msg_rcv(100 + me, &found, sizeof(found), &size, job_left);
    if (found == round * threads + me && size == (int)sizeof(found)) ++terms[me];
    found += threads;
    armci_msg_snd(100 + me, &found, sizeof(found), job_right);
  }
  return NULL;
}

static void threads_wait_for_messages_at_once(void) {
  memset(terms, 0, sizeof(terms));
  for (int i = 0; i < threads; ++i) armci_msg_snd(100 + i, &i, sizeof(i), job_right);
  run(pass_on);
  for (int i = 0; i < threads; ++i) {
    int last = -1;
    armci_msg_rcv(100 + i, &last, sizeof(last), NULL, job_left);
    CHECK_INT(last, 10 * threads + i);
    CHECK_INT(terms[i], 10);
  }
}

// The neighbour enters the barrier once it has the message, which is sent when this process waits.
static void* send_late(void* argument) {
  int word = job_me;
  (void)argument;
  usleep(20000);
  armci_msg_snd(7, &word, sizeof(word), job_right);
  return NULL;
}

static void a_thread_calls_while_another_is_in_a_barrier(void) {
  pthread_t late;
  if (job_me == 0) CHECK_INT(pthread_create(&late, NULL, send_late, NULL), 0);
  if (job_me == 1) {
    int word = -1;
    armci_msg_rcv(7, &word, sizeof(word), NULL, 0);
    CHECK_INT(word, 0);
  }
  ARMCI_Barrier();
  if (job_me != 0) return;
  pthread_join(late, NULL);
  int word = -1;
  if (job_ranks == 1) armci_msg_rcv(7, &word, sizeof(word), NULL, 0);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  CHECK_INT(ARMCI_Init_thread(3), 0);  // MPI_THREAD_MULTIPLE
  void* bases[2][job_most];
  arrays = bases[0];
  counters = bases[1];
  ARMCI_Malloc(arrays, threads * area * (int)sizeof(double));
  ARMCI_Malloc(counters, 4096);
  memset(counters[job_me], 0, 4096);
  ARMCI_Barrier();
  sections_of_all_threads_arrive();
  operations_of_all_threads_count();
  a_mutex_has_one_thread_of_all_processes();
  threads_wait_for_messages_at_once();
  a_thread_calls_while_another_is_in_a_barrier();
  ARMCI_Barrier();
  ARMCI_Free(counters[job_me]);
  ARMCI_Free(arrays[job_me]);
  ARMCI_Finalize();
  return job_end();
}
