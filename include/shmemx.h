/*
 * Gondwana's extensions to OpenSHMEM. Every name here begins with shmemx_ or SHMEMX_.
 */
#ifndef GONDWANA_SHMEMX_H
#define GONDWANA_SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names what the calling thread does from here to the matching end. Regions may be nested.
 *
 * A traced job shows each as a slice with the calls within it. The first 47 bytes of the name
 * count, and up to 1000 different names. Where a tool has loaded the NVTX library, each is an NVTX
 * range too. Otherwise both calls return at once. Not collective; before shmem_init a region is no
 * error and is not shown. An end without a begin does nothing; GONDWANA_DEBUG=yes warns of it,
 * once.
 */
#define SHMEMX_REGIONS 1
void shmemx_region_begin(const char* name);
void shmemx_region_end(void);

#ifdef __cplusplus
} /* extern "C" */

/* The region is the scope of the object. */
class shmemx_region {
 public:
  explicit shmemx_region(const char* name) { shmemx_region_begin(name); }
  ~shmemx_region() { shmemx_region_end(); }

 private:
  shmemx_region(const shmemx_region&);
  shmemx_region& operator=(const shmemx_region&);
};
#endif

#endif /* GONDWANA_SHMEMX_H */
