// Gondwana's ARMCI: the interface used by Global Arrays. It has the names, types and values of the
// ARMCI with which Debian's Global Arrays was compiled, and the names that Global Arrays' own
// sources use.
//
// The following holds for all calls unless stated otherwise:
//
// - Processes are numbered from 0. Addresses of another process are those that ARMCI_Malloc
//   returned to the caller, or addresses within these blocks. They mean nothing to a third process.
//   Processes of one node may load and store through them. A process may name any memory of its
//   own.
// - Sizes and strides are in bytes.
// - When a put or an accumulate returns, its source may be reused. When a get returns, it has its
//   data. Puts and accumulates are visible at the target after ARMCI_Fence or ARMCI_Barrier.
// - Operations of one process on one location take effect in the order of the calls.
// - An accumulate is atomic with respect to other accumulates, element by element, if elements are
//   aligned as their type requires.
// - Every process of the group makes a collective call, in the same order.
// - Calls that return int return 0 for success. A program error ends the job with a message that
//   names the call.
// - Only one thread at a time may call.
//
// The PARMCI_ names are the same functions, for tools that define the ARMCI_ ones.
#ifndef GONDWANA_ARMCI_H
#define GONDWANA_ARMCI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef long armci_size_t;

// ---- Initialization and finalization

// Collective. In an MPI program, call MPI_Init first.
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
// `armci_requested`: an MPI thread level. At every level, threads may call at any time, and take
// turns in the library.
int ARMCI_Init_thread(int armci_requested);
// 1 between the first init and the last finalize; otherwise 0.
int ARMCI_Initialized(void);
// Collective. The call that matches the first init ends the use of the library. Further calls have
// no effect.
int ARMCI_Finalize(void);
// Like a fence, for programs that are about to abort.
void ARMCI_Cleanup(void);
// Prints the message and the code, and ends the job with that code, or 1 if it is 0.
void ARMCI_Error(const char* msg, int code);

// ---- Groups

// Debian's Global Arrays reads `comm`: the MPI communicator, in MPI programs.
typedef struct {
  void* comm;
  void* gondwana_reserved;
  void* gondwana_group;
  unsigned long gondwana_number;
} ARMCI_Group;

// Collective over the processes in the list, which contains their ranks in the default group. Other
// processes may also call, and get a group of which they are not members.
void ARMCI_Group_create(int grp_size, int* pid_list, ARMCI_Group* group_out);
// The same with ranks of another group.
void ARMCI_Group_create_child(int grp_size, int* pid_list, ARMCI_Group* group_out,
                              ARMCI_Group* group_parent);
// Collective over the group.
void ARMCI_Group_free(ARMCI_Group* group);
// Returns 0, or 1 and a rank of -1 if the caller is not a member.
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group_out);
void ARMCI_Group_get_world(ARMCI_Group* group_out);
// The process with rank `group_rank` in the group.
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);

// ---- Memory

// Collective. Every process passes its own size, and gets an address for each process: entry i is
// this caller's address of the memory of process i, or null if its size is 0. Blocks are aligned to
// a cache line, and from 1 MiB on to a page. They are not zeroed. On failure a message is printed,
// and all processes return nonzero.
// return nonzero.
int ARMCI_Malloc(void** base_ptrs, armci_size_t size);
int ARMCI_Malloc_group(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group);
// `device` is ignored: all memory is host memory.
int ARMCI_Malloc_memdev(void** base_ptrs, armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
// Collective. Waits for all processes. `ptr`: the caller's own address, or null if its size was 0.
int ARMCI_Free(void* ptr);
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);
int ARMCI_Free_memdev(void* ptr);
// Private memory of the caller. Null on failure.
void* ARMCI_Malloc_local(armci_size_t size);
int ARMCI_Free_local(void* ptr);

// Memory that the caller shares with processes that receive the structure.
typedef struct {
  char* addr;
  char* attach_addr;
  size_t size;
  int cpid;
  long idlist[8];
} armci_meminfo_t;
void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg);
// The caller's address of that memory, or null if loads and stores do not reach it.
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
// Puts the data, then stores `value` in `flag` at the target. A process that sees the value also
// sees the data.
int ARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc);

// Sections of arrays: count[0] is the number of contiguous bytes. count[i] repeats the levels below
// it with a stride of stride_ar[i - 1] bytes. Up to 8 levels.
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
  int ptr_array_len;  // number of pieces
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

// Copies within memory of the caller.
void ARMCI_Copy(void* src, void* dst, int size);
// To be called around the caller's loads and stores to its own blocks. No effect in this library.
void ARMCI_Access_begin(void* ptr);
void ARMCI_Access_end(void* ptr);
// Copies a section to or from a packed buffer, both in memory of the caller.
void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);
void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);

// ---- Nonblocking calls

// A handle names one operation, or all operations begun with it between ARMCI_SET_AGGREGATE_HANDLE
// and ARMCI_UNSET_AGGREGATE_HANDLE. Operations with a null handle are completed by ARMCI_WaitAll or
// ARMCI_WaitProc. Until the wait, do not write the source of a put or read the target of a get.
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

// ---- Order and synchronization

// Completes the caller's operations at that process, or at all processes.
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
// Atomic. Adds `value` to the word at `prem` in the process, or swaps it with the word at `ploc`.
// `ploc` gets the old value.
int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);

// Collective. Each process passes the number of mutexes that it provides. A job has one set at a
// time.
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
// Processes get a mutex in the order of their requests.
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

// armci_notify tells a process that earlier puts to it have arrived. armci_notify_wait waits for
// the next notification from a process, and sets `pval` to the number received so far.
int armci_notify(int proc);
int armci_notify_wait(int proc, int* pval);

// ---- Nodes

enum armci_domain_e { ARMCI_DOMAIN_SMP };  // a node
typedef int armci_domain_t;
int armci_domain_nprocs(armci_domain_t domain, int id);  // id -1: the caller's node
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

// Available if mpi.h is included before this header. The communicator must have the processes of
// MPI_COMM_WORLD in their order.
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
