/*
 * Gondwana's extensions to OpenSHMEM. Every name here begins with shmemx_ or SHMEMX_; this version
 * has none.
 */
#ifndef GONDWANA_SHMEMX_H
#define GONDWANA_SHMEMX_H

#include "shmem.h"

#endif /* GONDWANA_SHMEMX_H */
