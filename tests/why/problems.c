// A job with a problem, for `gondwana why` to find: the last rank is the culprit, but for `locks`.
#include <gasnetex.h>
#include <pthread.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long locks[2];
static int word;
static int me;
static int ranks;
static int is_last;

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

__attribute__((noinline)) static void compute_for_ever(void) {
  for (volatile unsigned long i = 0;; ++i) continue;
}

// Each takes one lock, then the one that the other has.
static void order_of_locks(void) {
  if (me < 2) shmem_set_lock(&locks[me]);
  shmem_barrier_all();
  if (me < 2) shmem_set_lock(&locks[1 - me]);
}

// The others wait for its broadcast.
static void other_collective(void) {
  if (!is_last) shmem_int_broadcast(SHMEM_TEAM_WORLD, &word, &word, 1, ranks - 1);
}

static void endless_loop(void) {
  if (is_last) compute_for_ever();
}

static void* compute_in_thread(void* nothing) {
  compute_for_ever();
  return nothing;
}

static void endless_loop_in_thread(void) {
  pthread_t thread;
  if (is_last && pthread_create(&thread, NULL, compute_in_thread, NULL) == 0)
    pthread_join(thread, NULL);
}

static void stopped(void) {
  if (is_last) raise(SIGSTOP);
}

// Nobody writes there.
static void word_in_buffer(void) {
  int* words = calloc(100, sizeof(int));
  shmemx_buffer_register(words, 100 * sizeof(int));
  if (is_last) shmem_int_wait_until(&words[16], SHMEM_CMP_EQ, 7);
}

// The test lets devices copy slowly.
static void copy_of_device(void) {
  if (!is_last) return;
  const size_t size = 1 << 20;
  shmemx_device_memcpy(shmemx_device_malloc(0, size), calloc(1, size), size);
}

// The call that began it has returned.
static void copy_that_goes_on(void) {
  const size_t size = 1 << 20;
  void* block = shmem_malloc(size);
  if (!is_last) return;
  shmem_putmem_nbi(block, shmemx_device_malloc(0, size), size, 0);
  shmem_quiet();
}

// It gets another value than it waits for.
static void word_that_nobody_writes(void) {
  if (me == 1) shmem_int_p(&word, 5, ranks - 1);
  shmem_barrier_all();
  if (is_last) shmem_int_wait_until(&word, SHMEM_CMP_EQ, 7);
}

static void word_of_heap(void) {
  int* words = shmem_calloc(4, sizeof *words);
  if (is_last) shmem_int_wait_until_any(words, 4, NULL, SHMEM_CMP_GE, 7);
}

static void poll_by_itself(void) {
  while (is_last && *(volatile int*)&word == 0) continue;
}

static void poll_by_test(void) {
  while (is_last && !shmem_int_test(&word, SHMEM_CMP_EQ, 7)) continue;
}

static void poll_by_get(void) {
  while (is_last && shmem_int_g(&word, 0) != 7) continue;
}

static void sleep_for_ever(void) {
  while (is_last) sleep_ms(600000);
}

static void slow_rank(void) {
  static char there[4096];
  static char here[sizeof there];
  for (;;) {
    sleep_ms(is_last ? 90 : 30);
    shmem_putmem(there, here, sizeof here, (me + 1) % ranks);
    shmem_barrier_all();
  }
}

static void oversubscribed(void) {
  for (;;) {
    for (volatile int i = 0; i < 3000000; ++i) continue;
    shmem_barrier_all();
  }
}

static void wrong_team(void) {
  shmem_team_t everybody;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, ranks, NULL, 0, &everybody);
  shmem_team_sync(is_last ? everybody : SHMEM_TEAM_WORLD);
}

// Ranks 0 and 2 are members. The others compute, and nobody waits for them.
static void smaller_team(void) {
  shmem_team_t even;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (ranks + 1) / 2, NULL, 0, &even);
  if (me == 2) shmem_set_lock(&locks[0]);
  shmem_barrier_all();
  if (me == 0) shmem_set_lock(&locks[0]);
  if (me == 2) shmem_team_sync(even);
  if (me % 2 == 1) compute_for_ever();
}

static void on_message(gex_Token_t token, void* payload, size_t size) {
  (void)token;
  (void)payload;
  (void)size;
}

// The last rank takes no messages.
static gex_TM_t open_gasnet(void) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_AM_Entry_t handler = {
      200, (gex_AM_Fn_t)on_message, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL, NULL};
  gex_Client_Init(&client, &endpoint, &team, "WHY", NULL, NULL, 0);
  gex_EP_RegisterHandlers(endpoint, &handler, 1);
  shmem_barrier_all();
  return team;
}

static void full_inbox(void) {
  static char payload[512];
  const gex_TM_t team = open_gasnet();
  if (is_last) compute_for_ever();
  for (int i = 0; me == 0 && i < 100000; ++i)
    gex_AM_RequestMedium0(team, (gex_Rank_t)(ranks - 1), 200, payload, sizeof payload,
                          GEX_EVENT_NOW, 0);
}

static void message_that_nobody_sends(void) {
  open_gasnet();
  if (is_last) GASNET_BLOCKUNTIL(word == 1);
}

static void nothing(void) {
  for (;;) {
    sleep_ms(20);
    shmem_barrier_all();
  }
}

// The job goes on to its end when the input of rank 0 does.
static void end_of_input(void) {
  while (me == 0 && getchar() != EOF) continue;
}

// It outlives the job, and holds no file that a launcher waits for.
static void child_that_stays(void) {
  if (is_last && fork() == 0) {
    for (int file = 0; file <= 2; ++file) close(file);
    for (;;) pause();
  }
  end_of_input();
}

// A store that went wild, into the memory by which launcher and tools know the job.
static void damaged_memory(void) {
  unsigned long begin = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  for (char line[600]; begin == 0 && fgets(line, sizeof line, maps) != NULL;)
    if (strstr(line, "memfd:gondwana-control") != NULL) begin = strtoul(line, NULL, 16);
  fclose(maps);
  if (!is_last) sleep_ms(60000);
  memset((void*)begin, 0x7f, 64);  // the description of the node
  abort();
}

static const struct {
  const char* name;
  void (*act)(void);
} problems[] = {
    {"locks", order_of_locks},
    {"collective", other_collective},
    {"loop", endless_loop},
    {"thread", endless_loop_in_thread},
    {"buffer", word_in_buffer},
    {"device", copy_of_device},
    {"quiet", copy_that_goes_on},
    {"stopped", stopped},
    {"word", word_that_nobody_writes},
    {"heap", word_of_heap},
    {"test", poll_by_test},
    {"get", poll_by_get},
    {"sleep", sleep_for_ever},
    {"slow", slow_rank},
    {"oversubscribed", oversubscribed},
    {"team", wrong_team},
    {"inbox", full_inbox},
    {"members", smaller_team},
    {"nothing", nothing},
    {"input", end_of_input},
    {"child", child_that_stays},
    {"damage", damaged_memory},
    {"message", message_that_nobody_sends},
    {"plain", poll_by_itself},
};

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  ranks = shmem_n_pes();
  is_last = me == ranks - 1;
  shmem_barrier_all();
  for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); ++i) {
    if (argc < 2 || strcmp(argv[1], problems[i].name) != 0) continue;
    printf("ready\n");
    fflush(stdout);
    shmem_barrier_all();
    problems[i].act();
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
