// The job, its processes and hosts; errors; exit. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_SYSTEM_H
#define GONDWANA_GASNET_SYSTEM_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Results of calls that return int. GASNET_OK is 0; the others lie beyond the system's errno.
#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001
#define GASNET_ERR_RESOURCE 10002
#define GASNET_ERR_BAD_ARG 10003
#define GASNET_ERR_NOT_READY 10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

// The name of a result, and a sentence about it. The text is the library's.
const char* gasnet_ErrorName(int error);
const char* gasnet_ErrorDesc(int error);

// Ends the job, all its processes, with this status. Any process may call it at any time.
void gasnet_exit(int status) __attribute__((__noreturn__));

// A variable of the environment that the job was started in, or a null pointer.
char* gasnet_getenv(const char* name);

// The caller's rank in the job, and how many processes the job has.
gex_Rank_t gex_System_QueryJobRank(void);
gex_Rank_t gex_System_QueryJobSize(void);

// Whether errors that a call returns are also written to stderr: 1, the default, or 0.
int gex_System_GetVerboseErrors(void);
void gex_System_SetVerboseErrors(int enable);

// How many threads of this process may call the library; 1 in GASNET_SEQ.
uint64_t gex_System_QueryMaxThreads(void);

// A process of the job; named because a const type without a name has no linkage in C++.
// GASNet-EX 0.19, Neighborhood and Host.
typedef const struct gondwana_gex_rank_info {
  gex_Rank_t gex_jobrank;
} gex_RankInfo_t;

// The processes that share memory with this one (Nbrhd), those on its machine (Host): the array,
// sorted by job rank, its length and the caller's place in it. The array is the library's. Any
// pointer may be null.
void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                               gex_Rank_t* my_info_index_p);
void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                              gex_Rank_t* my_info_index_p);

// How many neighborhoods and hosts the job has, and which are the caller's. Any pointer may be
// null.
void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p);

// A thread that the client starts when it passed GEX_FLAG_DEFER_THREADS.
typedef struct {
  const char* gex_device_list;               // devices it serves, separated by commas
  unsigned int gex_thread_roles;             // GEX_THREAD_ROLE_ bits
  void* (*gex_progress_fn)(void* argument);  // never returns
  void* gex_progress_arg;
} gex_ProgressThreadInfo_t;

// The threads to start; to be called once. The array lives until they all run. *info_p is undefined
// where *count_p is 0. GASNET_ERR_RESOURCE without GEX_FLAG_DEFER_THREADS; flags is 0.
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count_p,
                                    const gex_ProgressThreadInfo_t** info_p, gex_Flags_t flags);

// GASNET_HIDDEN_AM_CONCURRENCY_LEVEL as it is in this run.
int gex_System_QueryHiddenAMConcurrencyLevel(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_SYSTEM_H
