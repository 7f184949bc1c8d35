// Memory that cannot be a segment: stacks, which are in use, and addresses without memory.
#include <pthread.h>
#include <stdint.h>

#include "job.h"

enum { size = 8192 };

static gex_Client_t client;

static void expect_refusal(void* address) {
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  CHECK(gex_Segment_Create(&segment, client, address, size, GEX_MK_HOST, 0) == GASNET_ERR_BAD_ARG);
}

static void* try_a_stack(void* unused) {
  char memory[3 * size];
  expect_refusal(memory);
  return unused;
}

int main(int argc, char** argv) {
  job_join(&argc, &argv, 1 << 20);
  client = gex_EP_QueryClient(gex_TM_QueryEP(job_team));
  try_a_stack(NULL);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, try_a_stack, NULL) == 0 && pthread_join(thread, NULL) == 0);
  expect_refusal((void*)(UINTPTR_MAX - size / 2));
  expect_refusal((void*)(uintptr_t)4096);
  job_barrier();
  gasnet_exit(0);
}
