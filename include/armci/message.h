// Messages and collectives of ARMCI. See armci.h for the general rules.
#ifndef GONDWANA_ARMCI_MESSAGE_H
#define GONDWANA_ARMCI_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

// The processes that take part in a collective: all, those of the caller's node, or the first of
// each node. For other processes the call has no effect.
enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

int armci_msg_me(void);
int armci_msg_nproc(void);
// Ends the job with this status.
void armci_msg_abort(int code);
// ARMCI_Init and ARMCI_Finalize. In the libraries for MPI programs they also call MPI_Init, unless
// the program has called it, and MPI_Finalize.
void armci_msg_init(int* argc, char*** argv);
void armci_msg_finalize(void);
// Seconds since an arbitrary time in the past.
double armci_timer(void);

// A message matches receives with the same tag, in the order of the sends. The buffer may be reused
// at once. A message that is longer than the receive buffer ends the job.
void armci_msg_snd(int tag, void* buffer, int len, int to);
void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);
// Receives from any process, and returns its number.
int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen);

// Barriers. Puts and accumulates may still be in flight afterwards.
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);

// The caller's place in a binary tree over the scope. -1: no process.
void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right);

// `root`: a process number, even in a scope or a group.
void armci_msg_bcast(void* buffer, int len, int root);
void armci_msg_brdcst(void* buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group);

// Selects one record of all: `n` bytes that begin with a number of the type. All processes get the
// record with the smallest ("min") or largest ("max") number. In a tie, the lowest process wins. A
// process that does not contribute offers none.
void armci_msg_sel(void* x, int n, char* op, int type, int contribute);
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);

// Combine the arrays `x` of all processes, in the order of their ranks, and store the result in all
// of them. `op`: "+", "*", "max", "min", "absmax", "absmin"; for integers also "or", "&&", "||",
// "&" and "|". `n`: number of elements.
void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);
// The same, but only process 0, or the first of the scope, needs the result.
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);
// The same among the processes of a group.
void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);
// The same among the processes of the caller's node.
void armci_msg_clus_brdcst(void* buf, int len);
void armci_msg_clus_igop(int* x, int n, char* op);
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);
// Broadcasts from process `grp_master` to the next `grp_clus_nproc` - 1 processes of the group.
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* mastergroup);

// Collective. Each process stores its own address in its entry of the array. Afterwards all entries
// are valid addresses for the caller. `n`: number of entries, one for each process.
void armci_exchange_address(void* ptr_ar[], int n);
void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif  // GONDWANA_ARMCI_MESSAGE_H
