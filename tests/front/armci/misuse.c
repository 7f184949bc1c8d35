// misuse HOW: the last process makes an error while the others wait in a barrier, or, with the name
// of a call as the second word, in that call.
#include <signal.h>
#include <unistd.h>

#include "job.h"

static void* blocks[job_most];
static double numbers[4];
static int strides[] = {8, 8, 8, 8, 8, 8, 8, 8, 8};
static int counts[] = {8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static ARMCI_Group never_made;

static void process(void) {
  ARMCI_Put(numbers, blocks[0], 8, 99);
}

static void negative_process(void) {
  ARMCI_Fence(-1);
}

static void address(void) {
  void* mine = malloc(100);
  ARMCI_Put(numbers, mine, 8, 0);
}

static void address_of_another(void) {
  ARMCI_Put(numbers, blocks[job_me], 8, 0);
}

static void null_address(void) {
  ARMCI_Get(NULL, numbers, 8, 0);
}

static void address_of_word(void) {
  int old = 0;
  ARMCI_Rmw(ARMCI_SWAP, &old, malloc(100), 0, 0);
}

static void size(void) {
  ARMCI_Get(blocks[0], numbers, -8, 0);
}

static void count_of_section(void) {
  int wrong[] = {8, -3};
  ARMCI_GetS(blocks[0], strides, numbers, strides, wrong, 1, 0);
}

static void size_of_list(void) {
  armci_giov_t list = {blocks, blocks, -8, 1};
  ARMCI_PutV(&list, 1, 0);
}

static void levels(void) {
  ARMCI_PutS(numbers, strides, blocks[0], strides, counts, 9, 0);
}

static void negative_levels(void) {
  ARMCI_NbGetS(blocks[0], strides, numbers, strides, counts, -1, 0, NULL);
}

static void elements(void) {
  ARMCI_Acc(ARMCI_ACC_DBL, numbers, numbers, blocks[0], 12, 0);
}

static void elements_of_section(void) {
  int twelve[] = {12, 1};
  ARMCI_AccS(ARMCI_ACC_DCP, numbers, numbers, strides, blocks[0], strides, twelve, 1, 0);
}

static void type(void) {
  ARMCI_Acc(77, numbers, numbers, blocks[0], 8, 0);
}

static void operation(void) {
  int old = 0;
  ARMCI_Rmw(9, &old, blocks[0], 1, 0);
}

static void misaligned(void) {
  long old = 0;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, (char*)blocks[0] + 4, 1, 0);
}

static void unlock(void) {
  ARMCI_Unlock(0, 0);
}

static void relock(void) {
  ARMCI_Lock(1, 0);
  ARMCI_Lock(1, 0);
}

static void mutex(void) {
  ARMCI_Lock(2, 0);
}

static void second_set(void) {
  ARMCI_Create_mutexes(1);
}

static void operator_name(void) {
  int number = 1;
  armci_msg_igop(&number, 1, "plus");
}

static void operator_of_type(void) {
  armci_msg_dgop(numbers, 1, "||");
}

static void operator_of_sel(void) {
  armci_msg_sel(numbers, 8, "+", ARMCI_DOUBLE, 1);
}

static void type_of_reduction(void) {
  armci_msg_reduce(numbers, 1, "+", 88);
}

static void elements_of_reduction(void) {
  armci_msg_fgop(NULL, -1, "+");
}

static void scope(void) {
  armci_msg_bcast_scope(7, numbers, 8, 0);
}

static void root(void) {
  armci_msg_brdcst(numbers, 8, 50);
}

static void message(void) {
  armci_msg_snd(3, numbers, 16, job_me);
  armci_msg_rcv(3, numbers, 8, NULL, job_me);
}

static void receiver(void) {
  armci_msg_snd(3, numbers, 16, job_ranks);
}

static void group(void) {
  int count = 0;
  ARMCI_Group_size(&never_made, &count);
}

static void freed_group(void) {
  ARMCI_Group alone;
  ARMCI_Group_create(1, &job_me, &alone);
  ARMCI_Group_free(&alone);
  armci_msg_group_barrier(&alone);
}

static void copy_of_freed_group(void) {
  ARMCI_Group alone;
  ARMCI_Group_create(1, &job_me, &alone);
  ARMCI_Group copy = alone;
  ARMCI_Group_free(&alone);
  ARMCI_Group_create(1, &job_me, &alone);
  armci_msg_group_barrier(&copy);
}

static void no_parent(void) {
  ARMCI_Group alone;
  ARMCI_Group_create_child(1, &job_me, &alone, NULL);
}

static void twice_in_group(void) {
  int list[] = {0, 0};
  ARMCI_Group_create(2, list, &never_made);
}

static void stranger_in_group(void) {
  int list[] = {0, 7};
  ARMCI_Group_create(2, list, &never_made);
}

static void world_freed(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_free(&world);
}

static void stranger(void) {
  int list[] = {0};
  void* none[job_most];
  ARMCI_Group other;
  ARMCI_Group_create(1, list, &other);
  ARMCI_Malloc_group(none, 64, &other);
}

static void stranger_in_reduction(void) {
  int list[] = {0};
  ARMCI_Group other;
  ARMCI_Group_create(1, list, &other);
  armci_msg_group_igop(list, 1, "+", &other);
}

static void empty_group(void) {
  void* none[job_most];
  ARMCI_Group empty;
  ARMCI_Group_create(0, NULL, &empty);
  ARMCI_Malloc_group(none, 64, &empty);
}

static void member(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  ARMCI_Absolute_id(&world, 2);
}

static void addresses(void) {
  armci_exchange_address(blocks, 1);
}

static void node(void) {
  armci_domain_nprocs(ARMCI_DOMAIN_SMP, 44);
}

static void error(void) {
  ARMCI_Error("the matrix is singular", 5);
}

static void error_of_0(void) {
  ARMCI_Error("nothing", 0);
}

static void abort_job(void) {
  armci_msg_abort(6);
}

static void abort_well(void) {
  armci_msg_abort(0);
}

static void assertion(void) {
  derr_printf("%d of %s\n", 3, "these");
  dassertp_fail("a < b", "matrix.c", "invert", 12, 9);
}

static void killed(void) {
  usleep(300000);  // the others are probably waiting by now
  raise(SIGKILL);
}

static const struct {
  const char* name;
  void (*act)(void);
} errors[] = {{"process", process},
              {"negative_process", negative_process},
              {"address", address},
              {"address_of_another", address_of_another},
              {"null_address", null_address},
              {"address_of_word", address_of_word},
              {"size", size},
              {"count_of_section", count_of_section},
              {"size_of_list", size_of_list},
              {"levels", levels},
              {"negative_levels", negative_levels},
              {"elements", elements},
              {"elements_of_section", elements_of_section},
              {"type", type},
              {"operation", operation},
              {"misaligned", misaligned},
              {"unlock", unlock},
              {"relock", relock},
              {"mutex", mutex},
              {"second_set", second_set},
              {"operator_name", operator_name},
              {"operator_of_type", operator_of_type},
              {"operator_of_sel", operator_of_sel},
              {"type_of_reduction", type_of_reduction},
              {"elements_of_reduction", elements_of_reduction},
              {"scope", scope},
              {"root", root},
              {"message", message},
              {"receiver", receiver},
              {"group", group},
              {"freed_group", freed_group},
              {"copy_of_freed_group", copy_of_freed_group},
              {"no_parent", no_parent},
              {"twice_in_group", twice_in_group},
              {"stranger_in_group", stranger_in_group},
              {"world_freed", world_freed},
              {"member", member},
              {"stranger", stranger},
              {"stranger_in_reduction", stranger_in_reduction},
              {"empty_group", empty_group},
              {"addresses", addresses},
              {"node", node},
              {"error", error},
              {"error_of_0", error_of_0},
              {"abort", abort_job},
              {"abort_well", abort_well},
              {"assertion", assertion},
              {"killed", killed}};

// Errors in collective calls, and before there are mutexes or after the end.
static void make_error_together(const char* how) {
  const int is_last = job_me == job_ranks - 1;
  if (strcmp(how, "free") == 0) ARMCI_Free((char*)blocks[job_me] + (is_last ? 64 : 0));
  if (strcmp(how, "free_twice") == 0 && ARMCI_Free(blocks[job_me]) == 0)
    ARMCI_Free(is_last ? blocks[job_me] : NULL);
  if (strcmp(how, "other_root") == 0) armci_msg_brdcst(numbers, 8, is_last);
  if (strcmp(how, "other_size") == 0) armci_msg_dgop(numbers, is_last ? 2 : 1, "+");
  if (strcmp(how, "other_operator") == 0) armci_msg_dgop(numbers, 1, is_last ? "max" : "+");
  if (strcmp(how, "other_collective") == 0 && is_last) armci_msg_barrier();
  if (strcmp(how, "other_collective") == 0 && !is_last) armci_msg_brdcst(numbers, 8, 0);
  if (strcmp(how, "skipped") == 0 && !is_last) ARMCI_Barrier();
  if (strcmp(how, "no_mutexes") == 0 && is_last) ARMCI_Lock(0, 0);
  if (strcmp(how, "no_set") == 0 && is_last) ARMCI_Destroy_mutexes();
  if (strcmp(how, "late") == 0) {
    ARMCI_Finalize();
    if (is_last) ARMCI_AllFence();
    exit(0);
  }
  if (strcmp(how, "memory") == 0) {  // not an error that ends the job
    void* none[job_most];
    CHECK(ARMCI_Malloc(none, is_last ? 1L << 50 : 64) != 0);
    for (int i = 0; i < job_ranks; ++i) CHECK(none[i] == NULL);
    CHECK_INT(ARMCI_Malloc(none, 64), 0);
    ARMCI_Finalize();
    exit(job_failures == 0 ? 0 : 1);
  }
}

static void wait_in(const char* call) {
  if (strcmp(call, "ARMCI_Lock") == 0) ARMCI_Lock(0, job_ranks - 1);
  if (strcmp(call, "armci_msg_rcv") == 0)
    armci_msg_rcv(1, numbers, sizeof(numbers), NULL, job_ranks - 1);
  if (strcmp(call, "armci_msg_rcvany") == 0) armci_msg_rcvany(1, numbers, sizeof(numbers), NULL);
  if (strcmp(call, "armci_notify_wait") == 0) armci_notify_wait(job_ranks - 1, NULL);
  if (strcmp(call, "armci_msg_dgop") == 0) armci_msg_dgop(numbers, 1, "+");
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "early") == 0) ARMCI_Put(numbers, numbers, 8, 0);
  if (strcmp(how, "early_group") == 0) ARMCI_Group_create(1, &job_me, &never_made);
  job_start(&argc, &argv, 0);
  ARMCI_Malloc(blocks, 1000);
  make_error_together(how);
  ARMCI_Create_mutexes(2);
  if (job_me == job_ranks - 1) {
    if (strcmp(how, "killed") == 0) ARMCI_Lock(0, job_me);
    ARMCI_Barrier();
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); ++i)
      if (strcmp(how, errors[i].name) == 0) errors[i].act();
  } else {
    ARMCI_Barrier();
    wait_in(argc > 2 ? argv[2] : "");
  }
  ARMCI_Barrier();
  if (strcmp(how, "nodes") == 0 && job_me == 0)
    printf("nodes: %d\n", armci_domain_count(ARMCI_DOMAIN_SMP));
  printf("went on\n");
  return job_end();
}
