// 24 threads of each rank put at the same time, twice; then 24 more, one after the other.
#include <shmem.h>

#include <array>
#include <thread>
#include <vector>

namespace {

constexpr int puts_of_each = 1000;
constexpr std::size_t threads_at_once = 24;  // more than the number of tables in the heap

std::array<long, threads_at_once> cells;

void put_some(std::size_t cell) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < puts_of_each; ++i) shmem_p(&cells[cell], static_cast<long>(i), next);
}

void put_together() {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < threads_at_once; ++i) threads.emplace_back(put_some, i);
}

}  // namespace

int main() {
  int provided = SHMEM_THREAD_SINGLE;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  put_together();
  put_together();
  for (std::size_t i = 0; i < threads_at_once; ++i) std::jthread(put_some, i);
  shmem_barrier_all();
  shmem_finalize();
}
