// A C++ program as users write it; compiled by headers_test.py, never run.
extern "C" {
#include <shmem.h>  // many programs wrap C headers in this way; this header must work too
}
#include <shmemx.h>

#include <complex>

namespace {

shmem_team_t team = SHMEM_TEAM_WORLD;
long counters[4];
uint64_t signals[1];
long work_area[SHMEM_SYNC_SIZE] = {SHMEM_SYNC_VALUE};
std::complex<double> amplitudes[2];
#ifdef __GNUC__
__extension__ double _Complex phases[2];  // the type that the specification's table names
#endif

void overloads(int peer) {
  const shmemx_region region("overloads");
  const long* read_only = counters;
  const long value = shmem_g(read_only, peer) + shmem_atomic_fetch(read_only, peer);
  shmem_p(&counters[1], value, peer);
  shmem_p(&counters[1], 1, peer);
  shmem_put(counters, &value, 1, peer);
  shmem_wait_until(counters, SHMEM_CMP_GE, 1);
  shmem_broadcast(team, counters, counters + 2, 2, 0);
  shmem_sum_reduce(team, amplitudes, amplitudes, 2);
  shmem_complexd_sum_reduce(team, amplitudes, amplitudes, 2);
#ifdef __GNUC__
  shmem_sum_reduce(team, phases, phases, 2);
  shmem_complexd_sum_reduce(team, phases, phases, 2);
#endif
  shmem_sync(SHMEM_TEAM_SHARED);

  const shmem_ctx_t context = SHMEM_CTX_DEFAULT;
  shmem_p(context, &counters[1], shmem_g(context, read_only, peer), peer);
  shmem_put_nbi(context, counters, read_only, 2, peer);
  shmem_signal_add(context, signals, 1, peer);
  shmem_signal_add(signals, 1, peer);
  shmem_sync(0, 0, 1, work_area);
  shmem_wait_until(counters, SHMEM_CMP_NE, 0);
}

volatile long flags[2];
volatile unsigned short old_flag;
volatile uint64_t volatile_signal;

void volatile_variables() {
  shmem_long_wait_until(flags, SHMEM_CMP_EQ, 1);
  shmem_ushort_wait_until(&old_flag, SHMEM_CMP_EQ, 1);
  shmem_wait_until(flags, SHMEM_CMP_EQ, 1);
  shmem_wait(flags, 1);
  shmem_long_wait(flags, 1);
  long found = shmem_long_test(flags, SHMEM_CMP_EQ, 1) + shmem_test(flags, SHMEM_CMP_EQ, 1);
  shmem_wait_until_all(flags, 2, nullptr, SHMEM_CMP_EQ, 1);
  found += static_cast<long>(shmem_long_wait_until_any(flags, 2, nullptr, SHMEM_CMP_EQ, 1));
  found += static_cast<long>(shmem_test_any(flags, 2, nullptr, SHMEM_CMP_EQ, 1));
  // No variables at all: this names one function.
  shmem_long_wait_until_all(nullptr, 0, nullptr, SHMEM_CMP_EQ, 1);
  shmem_set_lock(flags);
  found += shmem_test_lock(flags);
  shmem_clear_lock(flags);
  shmem_signal_wait_until(&volatile_signal, SHMEM_CMP_GE, shmem_signal_fetch(&volatile_signal));
  if (found < 0) shmem_global_exit(1);
}

}  // namespace

int main() {
  shmem_init();
  overloads((shmem_my_pe() + 1) % shmem_n_pes());
  volatile_variables();
  if (shmem_test(counters, SHMEM_CMP_EQ, 0) != 0) shmem_global_exit(1);
  shmem_finalize();
}
