// Types, initialization, queries and locks of GASNet-1. Part of gasnet.h.
#ifndef GONDWANA_GASNET_LEGACY_JOB_H
#define GONDWANA_GASNET_LEGACY_JOB_H

#include "../gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

// Other names of types of gasnetex.h.
typedef gex_Rank_t gasnet_node_t;
typedef gex_Event_t gasnet_handle_t;
typedef gex_Token_t gasnet_token_t;
typedef gex_AM_Index_t gasnet_handler_t;
typedef gex_AM_Arg_t gasnet_handlerarg_t;
typedef gex_RMA_Value_t gasnet_register_value_t;
typedef gex_HSL_t gasnet_hsl_t;

#define GASNET_INVALID_HANDLE GEX_EVENT_INVALID
#define SIZEOF_GASNET_REGISTER_VALUE_T SIZEOF_GEX_RMA_VALUE_T
#define GASNET_HSL_INITIALIZER GEX_HSL_INITIALIZER

// A handler and its number, 128 to 255. 0: the library chooses a number and writes it here.
typedef struct {
  gasnet_handler_t index;
  gex_AM_Fn_t fnptr;
} gasnet_handlerentry_t;

// A piece of memory, with the layout of gex_Memvec_t.
typedef struct {
  void* addr;
  size_t len;
} gasnet_memvec_t;

// The primordial team of the process's client.
gex_TM_t gondwana_gasnet_team(void);

int gondwana_gasnet_init(int* argc, char*** argv, const struct gondwana_gex_build* build);

// Joins the job. Collective, once in a process, before all other calls except queries and
// gasnet_exit. Returns GASNET_OK or an error code. GASNet-1, Initialization.
static inline int gasnet_init(int* argc, char*** argv) {
  return gondwana_gasnet_init(argc, argv, gondwana_gex_this_build());
}

// Registers the handlers and allocates segsize bytes, a multiple of GASNET_PAGESIZE (0 becomes one
// page). minheapoffset is ignored. Collective, once, after gasnet_init. No process returns before
// all can be reached. Returns GASNET_OK or an error code.
int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                  uintptr_t minheapoffset);

// The objects that gasnet_init and gasnet_attach, or gex_Client_Init, created. Any pointer may be
// null.
void gasnet_QueryGexObjects(gex_Client_t* client_p, gex_EP_t* endpoint_p, gex_TM_t* tm_p,
                            gex_Segment_t* segment_p);

// The caller's rank in the job, and the number of processes.
gasnet_node_t gasnet_mynode(void);
gasnet_node_t gasnet_nodes(void);
#define gasneti_mynode (gasnet_mynode())  // some programs use this name for a variable

// Like gex_HSL_t. trylock: returns GASNET_OK if the caller now holds the lock, otherwise
// GASNET_ERR_NOT_READY.
static inline void gasnet_hsl_init(gasnet_hsl_t* hsl) {
  gex_HSL_Init(hsl);
}
static inline void gasnet_hsl_destroy(gasnet_hsl_t* hsl) {
  gex_HSL_Destroy(hsl);
}
static inline void gasnet_hsl_lock(gasnet_hsl_t* hsl) {
  gex_HSL_Lock(hsl);
}
static inline void gasnet_hsl_unlock(gasnet_hsl_t* hsl) {
  gex_HSL_Unlock(hsl);
}
static inline int gasnet_hsl_trylock(gasnet_hsl_t* hsl) {
  return gex_HSL_Trylock(hsl);
}

// No effect, because handlers never interrupt a thread.
#define gasnet_hold_interrupts() ((void)0)
#define gasnet_resume_interrupts() ((void)0)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_LEGACY_JOB_H
