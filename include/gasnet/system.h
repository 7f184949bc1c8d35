// The job, its processes and hosts; errors; exit. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_SYSTEM_H
#define GONDWANA_GASNET_SYSTEM_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Results of calls that return int. GASNET_OK is 0. The others are beyond the system's errno.
#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001
#define GASNET_ERR_RESOURCE 10002
#define GASNET_ERR_BAD_ARG 10003
#define GASNET_ERR_NOT_READY 10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

// The name of a result, and its description. The text belongs to the library.
const char* gasnet_ErrorName(int error);
const char* gasnet_ErrorDesc(int error);

// Ends the job, with all its processes, with this status. Any process may call it at any time.
void gasnet_exit(int status) __attribute__((__noreturn__));

// A variable of the environment in which the job was started, or a null pointer.
char* gasnet_getenv(const char* name);

// The caller's rank in the job, and the number of processes.
gex_Rank_t gex_System_QueryJobRank(void);
gex_Rank_t gex_System_QueryJobSize(void);

// Whether errors that a call returns are also printed to stderr: 1, the default, or 0.
int gex_System_GetVerboseErrors(void);
void gex_System_SetVerboseErrors(int enable);

// The number of threads of this process that may call the library; 1 in GASNET_SEQ.
uint64_t gex_System_QueryMaxThreads(void);

// A process of the job. The structure has a name because a const type without one has no linkage in
// C++.
// GASNet-EX 0.19, Neighborhood and Host.
typedef const struct gondwana_gex_rank_info {
  gex_Rank_t gex_jobrank;
} gex_RankInfo_t;

// The processes that share memory with this one (Nbrhd), or those on its machine (Host): the array,
// sorted by job rank, its length and the caller's index in it. The array belongs to the library.
// Any pointer may be null.
void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                               gex_Rank_t* my_info_index_p);
void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                              gex_Rank_t* my_info_index_p);

// The numbers of neighborhoods and hosts of the job, and the caller's own. Any pointer may be null.
void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p);

// A thread that the client starts if it passed GEX_FLAG_DEFER_THREADS.
typedef struct {
  const char* gex_device_list;               // devices that it serves, separated by commas
  unsigned int gex_thread_roles;             // GEX_THREAD_ROLE_ bits
  void* (*gex_progress_fn)(void* argument);  // never returns
  void* gex_progress_arg;
} gex_ProgressThreadInfo_t;

// The threads to start. Call it once. The array is valid until all of them run. *info_p is
// undefined if *count_p is 0. Returns GASNET_ERR_RESOURCE without GEX_FLAG_DEFER_THREADS. flags is
// 0.
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count_p,
                                    const gex_ProgressThreadInfo_t** info_p, gex_Flags_t flags);

// The value of GASNET_HIDDEN_AM_CONCURRENCY_LEVEL in this run.
int gex_System_QueryHiddenAMConcurrencyLevel(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_SYSTEM_H
