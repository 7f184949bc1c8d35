// The start of the library when it populates the whole heap (GONDWANA_PREFAULT), by one rank that
// may run on PROCESSORS processors: it uses one thread for each. Usage: prefault PROCESSORS
#include "../common/shmem_job.h"

static void run_on(size_t processors) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  size_t kept = 0;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && ++kept > processors) CPU_CLR(cpu, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

int main(int argc, char** argv) {
  const size_t processors = argument(argc, argv, 1, 2);
  run_on(processors);
  double* samples = new_samples(1);
  const int64_t start = now_ns();
  start_shmem();
  samples[0] = (double)(now_ns() - start);
  report_ours(1, samples, 1, "prefault_%zu", processors);
  end_shmem();
}
