// Code that rows of Global Arrays share. A row defines the ARMCI functions that Global Arrays calls
// and can disable them. The remaining work of Global Arrays itself is the control.
#ifndef GONDWANA_BENCH_GA_JOB_H_
#define GONDWANA_BENCH_GA_JOB_H_

#include "../common/measure.h"

#include <armci.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

extern int armci_is_off;

static inline void end_with_error(int status) {
  GA_Error((char[]){"ended"}, status);
}

static inline void start_job(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  GA_Initialize();
  enter_job(GA_Nodeid(), GA_Nnodes(), end_with_error);
  MA_init(C_DBL, 1 << 25, 1 << 16);  // untouched memory costs nothing
}

static inline void end_job(void) {
  GA_Terminate();
  MPI_Finalize();
}

#endif
