// A C++ program as users write it; compiled by headers_test.py, never run.
extern "C" {
#include <shmem.h>  // many wrap C headers so; this one must bear it
}
#include <shmemx.h>

#include <complex>

namespace {

shmem_team_t team = SHMEM_TEAM_WORLD;
long counters[4];
std::complex<double> amplitudes[2];

void overloads(int peer) {
  const long* read_only = counters;
  const long value = shmem_g(read_only, peer) + shmem_atomic_fetch(read_only, peer);
  shmem_p(&counters[1], value, peer);
  shmem_p(&counters[1], 1, peer);
  shmem_put(counters, &value, 1, peer);
  shmem_wait_until(counters, SHMEM_CMP_GE, 1);
  shmem_broadcast(team, counters, counters + 2, 2, 0);
  shmem_sum_reduce(team, amplitudes, amplitudes, 2);
  shmem_complexd_sum_reduce(team, amplitudes, amplitudes, 2);
  shmem_sync(SHMEM_TEAM_SHARED);
}

}  // namespace

int main() {
  shmem_init();
  overloads((shmem_my_pe() + 1) % shmem_n_pes());
  if (shmem_test(counters, SHMEM_CMP_EQ, 0) != 0) shmem_global_exit(1);
  shmem_finalize();
}
