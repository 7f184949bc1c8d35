// last_words HOW: each rank leaves text in the buffers of C and C++, and the job ends on purpose
// with status 7: by all ranks, or by the last one while the others are in a call, named HOW.
#include <shmem.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string_view>

namespace {

long word;
long lock;
long words[64];

void stay_in(std::string_view call) {
  if (call == "barrier") shmem_barrier_all();
  if (call == "wait_until") shmem_long_wait_until(&word, SHMEM_CMP_NE, 0);
  if (call == "lock") shmem_set_lock(&lock);
  while (call == "test" && shmem_long_test(&word, SHMEM_CMP_NE, 0) == 0) continue;
  while (call == "g" && shmem_long_g(&word, shmem_n_pes() - 1) == 0) continue;
  while (call == "p") shmem_long_p(&word, 0, shmem_my_pe());
  while (call == "add") shmem_long_atomic_add(&word, 0, shmem_my_pe());
  while (call == "quiet") shmem_quiet();
  while (call == "put") shmem_putmem(words, words, sizeof words, shmem_my_pe());
  while (call == "fetch" && shmem_long_atomic_fetch(&word, shmem_n_pes() - 1) == 0) continue;
}

// The text is written after shmem_finalize.
int leave_late() {
  shmem_finalize();
  std::cout << "finalized" << std::endl;
  sleep(3);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "all";
  std::ios::sync_with_stdio(false);  // otherwise C++ would have no separate buffer
  shmem_init();
  if (how == "late") return leave_late();
  const int me = shmem_my_pe();
  const int last = shmem_n_pes() - 1;
  if (me == last) shmem_set_lock(&lock);
  std::printf("C of rank %d\n", me);
  std::cout << "C++ of rank " << me << '\n';
  shmem_barrier_all();
  if (how != "all" && me != last) stay_in(how);
  if (how != "all") usleep(50'000);
  shmem_global_exit(7);
}
