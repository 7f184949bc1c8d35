/* device_segments ROUNDS: segments on a device that are made, used by a peer and destroyed. In the
 * end no process has memory mapped of those that are gone. The device is CUDA's first one, whose
 * driver is a stand-in, or an emulated one. */
#include <dlfcn.h>
#include <string.h>

#include "gasnet_mk.h"
#include "job.h"

enum { segment_size = 2 << 20 }; /* 1000 of them are more than the device has */

static gex_MK_t kind;

/* A segment that the others know, by an endpoint of its own. */
struct published {
  gex_Segment_t segment;
  gex_EP_t endpoint;
};

static struct published publish(void) {
  struct published made;
  CHECK(gex_Segment_Create(&made.segment, gex_TM_QueryClient(job_team), NULL, segment_size, kind,
                           0) == GASNET_OK);
  CHECK(gex_EP_Create(&made.endpoint, gex_TM_QueryClient(job_team), GEX_EP_CAPABILITY_RMA, 0) ==
        GASNET_OK);
  CHECK(gex_EP_BindSegment(made.endpoint, made.segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(job_team, &made.endpoint, 1, 0) == GASNET_OK);
  return made;
}

/* A word goes to the right, and comes back. */
static void use(const struct published* made, long word) {
  const gex_Rank_t right = (job_me + 1) % job_ranks;
  const gex_TM_t pair = gex_TM_Pair(gex_TM_QueryEP(job_team), gex_EP_QueryIndex(made->endpoint));
  void* theirs = NULL;
  long got = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, right, &theirs, NULL, NULL, 0));
  gex_RMA_PutBlocking(pair, right, theirs, &word, sizeof word, 0);
  gex_RMA_GetBlocking(pair, &got, right, theirs, sizeof got, 0);
  CHECK(got == word);
}

static void destroy(const struct published* made) {
  gex_EP_Destroy(made->endpoint, 0);
  gex_Segment_Destroy(made->segment, 0);
}

static size_t emulated_mappings(void) {
  char line[512];
  size_t count = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    count += strstr(line, "gondwana-device") != NULL;
  if (maps != NULL) fclose(maps);
  return count;
}

/* Blocks of devices that this process has, of its own and of peers. */
static size_t blocks(void) {
  size_t (*of_driver)(void) = NULL;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver != NULL) *(void**)&of_driver = dlsym(driver, "standin_blocks");
  return of_driver != NULL ? of_driver() : emulated_mappings();
}

int main(int argc, char** argv) {
  job_join(&argc, &argv, 1 << 20);
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  const char* kinds = getenv("GONDWANA_KINDS");
  gex_MK_Create_args_t arguments;
  memset(&arguments, 0, sizeof arguments);
  if (kinds != NULL && strcmp(kinds, "cuda") == 0)
    arguments.gex_class = GEX_MK_CLASS_CUDA_UVA;
  else
    arguments.gex_class = (gex_MK_Class_t)GONDWANA_MK_CLASS_EMULATED;
  CHECK(gex_MK_Create(&kind, gex_TM_QueryClient(job_team), &arguments, 0) == GASNET_OK);
  const struct published stays = publish();
  use(&stays, 1);
  for (int round = 0; round < rounds; ++round) {
    const struct published made = publish();
    use(&made, 100L * round + job_me);
    job_barrier();
    destroy(&made);
  }
  job_barrier();
  use(&stays, 2); /* whoever uses a device forgets what is gone */
  job_barrier();
  const struct published last = publish();
  job_barrier();
  destroy(&last);
  CHECK(blocks() <= 3); /* the one that stays, here and at the left; and the last one */
  job_barrier();
  gasnet_exit(0);
  return 0;
}
