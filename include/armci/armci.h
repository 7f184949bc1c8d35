// Gondwana's ARMCI: the interface under Global Arrays. It has the names, types and values of the
// ARMCI that Debian's Global Arrays was compiled with, and the names that Global Arrays' own
// sources use.
//
// What holds for all calls, unless one says otherwise:
//
// - Processes count from 0. Addresses of another process are those that ARMCI_Malloc returned to
//   the caller, or lie behind them. They mean nothing to a third process. Processes of one node may
//   load and store through them. A process may name any memory of its own.
// - Sizes are in bytes, strides too.
// - When a put or an accumulate returns, its source may be reused. When a get returns, it has its
//   data. Puts and accumulates are visible at the target after ARMCI_Fence or ARMCI_Barrier.
// - Operations of one process on one location take effect in the order of the calls.
// - An accumulate is atomic with respect to other accumulates, element by element, where elements
//   are aligned as their type demands.
// - A collective call is made by every process of its group, in the same order.
// - Calls that return int return 0 for success. What the program does wrong ends the job with one
//   sentence that names the call.
// - One thread at a time calls.
//
// The PARMCI_ names are the same functions, for tools that define the ARMCI_ ones.
#ifndef GONDWANA_ARMCI_H
#define GONDWANA_ARMCI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef long armci_size_t;

// ---- Start and end

// Collective. In a program of MPI, MPI_Init comes before.
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
// `armci_requested`: a thread level of MPI. Whatever it is, threads may call at any time: they take
// turns in the library.
int ARMCI_Init_thread(int armci_requested);
// 1 between the first init and the last finalize; else 0.
int ARMCI_Initialized(void);
// Collective. The last of as many calls as inits ends the use of the library; further ones do
// nothing.
int ARMCI_Finalize(void);
// Like a fence, for programs that are about to abort.
void ARMCI_Cleanup(void);
// Prints the message and the code, and ends the job with that code, or 1 if it is 0.
void ARMCI_Error(const char* msg, int code);

// ---- Groups

// Global Arrays of Debian reads `comm`: the communicator of MPI, in programs of MPI.
typedef struct {
  void* comm;
  void* gondwana_reserved;
  void* gondwana_group;
  unsigned long gondwana_number;
} ARMCI_Group;

// Collective over the processes in the list, which names them by their ranks in the default group;
// others may call. A process that is not in the list gets a group that it is no member of.
void ARMCI_Group_create(int grp_size, int* pid_list, ARMCI_Group* group_out);
// The same with the ranks of another group.
void ARMCI_Group_create_child(int grp_size, int* pid_list, ARMCI_Group* group_out,
                              ARMCI_Group* group_parent);
// Collective over the group.
void ARMCI_Group_free(ARMCI_Group* group);
// Returns 0; 1 and a rank of -1 where the caller is no member.
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group_out);
void ARMCI_Group_get_world(ARMCI_Group* group_out);
// The process that is `group_rank` in the group.
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);

// ---- Memory

// Collective. Every process gives a size of its own, and gets an address for each: entry i names
// the memory of process i, for this caller; null for 0 bytes. Blocks are aligned to a cache line,
// and to a page from 1 MiB on; they are not zeroed. On failure a sentence is printed, and all
// return nonzero.
int ARMCI_Malloc(void** base_ptrs, armci_size_t size);
int ARMCI_Malloc_group(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group);
// `device` is not looked at: all memory is that of the host.
int ARMCI_Malloc_memdev(void** base_ptrs, armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
// Collective, and waits for all. `ptr`: the caller's own address, or null for 0 bytes.
int ARMCI_Free(void* ptr);
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);
int ARMCI_Free_memdev(void* ptr);
// Memory of the caller alone. Null on failure.
void* ARMCI_Malloc_local(armci_size_t size);
int ARMCI_Free_local(void* ptr);

// Memory that the caller shares with processes that get the structure.
typedef struct {
  char* addr;
  char* attach_addr;
  size_t size;
  int cpid;
  long idlist[8];
} armci_meminfo_t;
void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg);
// The address of that memory for this caller; null where loads and stores do not reach it.
void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memdt(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memctl(armci_meminfo_t* meminfo);

// ---- Puts, gets and accumulates

// The types of accumulates: target = target + scale * source, element by element.
enum ARMCI_Acc_e {
  ARMCI_ACC_INT,  // int
  ARMCI_ACC_LNG,  // long
  ARMCI_ACC_FLT,  // float
  ARMCI_ACC_DBL,  // double
  ARMCI_ACC_CPL,  // two floats: real and imaginary part
  ARMCI_ACC_DCP   // two doubles
};

int ARMCI_Put(void* src, void* dst, int size, int target);
int ARMCI_Get(void* src, void* dst, int size, int target);
int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
// Then stores `value` in `flag` at the target; a process that sees it there sees the data.
int ARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc);

// Sections of arrays: count[0] bytes in one piece, and count[i] times, at steps of stride_ar[i -
// 1], what the levels below it describe. Up to 8 levels.
#define ARMCI_MAX_STRIDE_LEVEL 8
int ARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
               int dst_stride_ar[], int count[], int stride_levels, int proc);
int ARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                    int count[], int stride_levels, int* flag, int value, int proc);
int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                        int count[], int stride_levels, int* flag, int value, int proc);

// Lists of pieces.
typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int bytes;          // of each piece
  int ptr_array_len;  // pieces
} armci_giov_t;
int ARMCI_PutV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc);

// Single values.
int ARMCI_PutValueInt(int src, void* dst, int proc);
int ARMCI_PutValueLong(long src, void* dst, int proc);
int ARMCI_PutValueFloat(float src, void* dst, int proc);
int ARMCI_PutValueDouble(double src, void* dst, int proc);
int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

// From memory of the caller to memory of the caller.
void ARMCI_Copy(void* src, void* dst, int size);
// Around loads and stores of the caller to its own blocks. They need no call here.
void ARMCI_Access_begin(void* ptr);
void ARMCI_Access_end(void* ptr);
// A section to or from a buffer without gaps, both in memory of the caller.
void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);
void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);

// ---- Calls that do not wait

// A handle names one operation, or all that were begun with it between ARMCI_SET_AGGREGATE_HANDLE
// and ARMCI_UNSET_AGGREGATE_HANDLE. With a null handle, ARMCI_WaitAll or ARMCI_WaitProc waits.
// Until the wait, the source of a put may not be written, and the target of a get not be read.
typedef struct armci_hdl_s {
  int gondwana_transfer;
  int gondwana_aggregate;
} armci_hdl_t;
void ARMCI_INIT_HANDLE(armci_hdl_t* hdl);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);

int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int ARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                armci_hdl_t* hdl);
int ARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int ARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int ARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
                 int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int ARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int ARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                 armci_hdl_t* handle);
int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_Wait(armci_hdl_t* hdl);
// 0: complete; 1: not yet.
int ARMCI_Test(armci_hdl_t* hdl);
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

// ---- Order and synchronisation

// What the caller has begun is complete at that process, or at all.
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_GroupFence(ARMCI_Group* group);
// Collective: a fence, and a barrier of all processes.
void ARMCI_Barrier(void);

enum ARMCI_Rmw_e {
  ARMCI_FETCH_AND_ADD,       // int
  ARMCI_FETCH_AND_ADD_LONG,  // long
  ARMCI_SWAP,                // int
  ARMCI_SWAP_LONG            // long
};
// Atomic. Adds `value` to what `prem` names at the process, or exchanges it with what `ploc` names
// here; `ploc` gets what was there before.
int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);

// Collective. Each process gives as many mutexes as it likes. A job has one set at a time.
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
// Processes get a mutex in the order in which they came.
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

// Tells a process that what was put there before has arrived. Waits for the next such word from a
// process; `pval` gets how many have been waited for.
int armci_notify(int proc);
int armci_notify_wait(int proc, int* pval);

// ---- Where processes are

enum armci_domain_e { ARMCI_DOMAIN_SMP };  // a node
typedef int armci_domain_t;
int armci_domain_nprocs(armci_domain_t domain, int id);  // id -1: of the caller's
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int armci_sameclusnode(int proc);
int ARMCI_Same_node(int proc);
// 1: processes of a node reach each other's memory by loads and stores.
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);
// Has no effect.
void ARMCI_Set_shm_limit(unsigned long shmemlimit);

// ---- For the macros of Global Arrays

int dassertp_fail(const char* cond_string, const char* file, const char* func, unsigned int line,
                  int code);
void derr_printf(const char* format, ...);

// ---- Names for tools

int PARMCI_Init(void);
int PARMCI_Init_args(int* argc, char*** argv);
int PARMCI_Init_thread(int armci_requested);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
int PARMCI_Malloc(void** base_ptrs, armci_size_t size);
int PARMCI_Malloc_group(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group);
int PARMCI_Malloc_memdev(void** base_ptrs, armci_size_t bytes, const char* device);
int PARMCI_Malloc_group_memdev(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group,
                               const char* device);
int PARMCI_Free(void* ptr);
int PARMCI_Free_group(void* ptr, ARMCI_Group* group);
int PARMCI_Free_memdev(void* ptr);
void* PARMCI_Malloc_local(armci_size_t size);
int PARMCI_Free_local(void* ptr);
void PARMCI_Access_begin(void* ptr);
void PARMCI_Access_end(void* ptr);
int PARMCI_Put(void* src, void* dst, int size, int target);
int PARMCI_Get(void* src, void* dst, int size, int target);
int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
int PARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc);
int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc);
int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc);
int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc);
int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int* flag, int value, int proc);
int PARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                         int count[], int stride_levels, int* flag, int value, int proc);
int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc);
int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc);
int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc);
int PARMCI_PutValueInt(int src, void* dst, int proc);
int PARMCI_PutValueLong(long src, void* dst, int proc);
int PARMCI_PutValueFloat(float src, void* dst, int proc);
int PARMCI_PutValueDouble(double src, void* dst, int proc);
int PARMCI_GetValueInt(void* src, int proc);
long PARMCI_GetValueLong(void* src, int proc);
float PARMCI_GetValueFloat(void* src, int proc);
double PARMCI_GetValueDouble(void* src, int proc);
int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                 armci_hdl_t* hdl);
int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle);
int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                  armci_hdl_t* handle);
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl);
int PARMCI_Wait(armci_hdl_t* hdl);
int PARMCI_Test(armci_hdl_t* hdl);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_Barrier(void);
int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

// With mpi.h before this header. The communicator has the processes of MPI_COMM_WORLD in their
// order.
#ifdef MPI_VERSION
#ifdef __cplusplus
extern "C" {
#endif
int ARMCI_Init_mpi_comm(MPI_Comm comm);
int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
MPI_Comm armci_group_comm(ARMCI_Group* group);
#ifdef __cplusplus
}
#endif
#endif

#include "message.h"

#endif  // GONDWANA_ARMCI_H
