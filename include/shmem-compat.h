/*
 * Names of SGI, Cray and Open MPI that are not part of OpenSHMEM. A program that uses them includes
 * this header, or is compiled with -include shmem-compat.h. shmem.h does not declare them, because
 * many programs have variables my_pe and num_pes.
 */
#ifndef GONDWANA_SHMEM_COMPAT_H
#define GONDWANA_SHMEM_COMPAT_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* shmem_my_pe and shmem_n_pes. */
int my_pe(void);
int num_pes(void);

/* shmem_global_exit. */
void globalexit(int status) __attribute__((__noreturn__));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GONDWANA_SHMEM_COMPAT_H */
