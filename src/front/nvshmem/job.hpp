// Initialization, finalization and queries.
#pragma once

#include "nvshmem_types.h"

namespace gondwana::nvshmem {

void init(const char* call);
int init_thread(int requested, int* provided);
void query_thread(int* provided);
int init_attr(unsigned flags, const nvshmemx_init_attr_t* attributes);
int init_status();
void finalize();

int get_uniqueid(nvshmemx_uniqueid_t* uniqueid);
// Keeps the address of the id, not a copy.
int set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t* uniqueid,
                           nvshmemx_init_attr_t* attributes);
int set_attr_mpi_comm_args(void* mpi_comm, nvshmemx_init_attr_t* attributes);

int refuse_module(const char* call);

void info_get_version(int* major, int* minor);
void info_get_name(char* name);
void vendor_get_version_info(int* major, int* minor, int* patch);

}  // namespace gondwana::nvshmem
