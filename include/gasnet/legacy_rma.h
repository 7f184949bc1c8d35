// Puts, gets and their completion in GASNet-1. Part of gasnet.h.
#ifndef GONDWANA_GASNET_LEGACY_RMA_H
#define GONDWANA_GASNET_LEGACY_RMA_H

#include "legacy_job.h"

#ifdef __cplusplus
extern "C" {
#endif

// Blocking: complete on return. Data need not be aligned, so the bulk forms are the same.
static inline void gasnet_put(gasnet_node_t node, void* dest, const void* src, size_t nbytes) {
  (void)gex_RMA_PutBlocking(gondwana_gasnet_team(), node, dest, src, nbytes, 0);
}
static inline void gasnet_put_bulk(gasnet_node_t node, void* dest, const void* src, size_t nbytes) {
  gasnet_put(node, dest, src, nbytes);
}
static inline void gasnet_get(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  (void)gex_RMA_GetBlocking(gondwana_gasnet_team(), dest, node, src, nbytes, 0);
}
static inline void gasnet_get_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  gasnet_get(dest, node, src, nbytes);
}

// Explicit: complete when the handle is. The source of a put may be reused when the call returns,
// the source of a bulk put when the put is complete.
static inline gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void* dest, const void* src,
                                            size_t nbytes) {
  return gex_RMA_PutNB(gondwana_gasnet_team(), node, dest, src, nbytes, GEX_EVENT_NOW, 0);
}
static inline gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void* dest, const void* src,
                                                 size_t nbytes) {
  return gex_RMA_PutNB(gondwana_gasnet_team(), node, dest, src, nbytes, GEX_EVENT_DEFER, 0);
}
static inline gasnet_handle_t gasnet_get_nb(void* dest, gasnet_node_t node, void* src,
                                            size_t nbytes) {
  return gex_RMA_GetNB(gondwana_gasnet_team(), dest, node, src, nbytes, 0);
}
static inline gasnet_handle_t gasnet_get_nb_bulk(void* dest, gasnet_node_t node, void* src,
                                                 size_t nbytes) {
  return gasnet_get_nb(dest, node, src, nbytes);
}

// Implicit: complete when a gasnet_*_syncnbi_ call reports it.
static inline void gasnet_put_nbi(gasnet_node_t node, void* dest, const void* src, size_t nbytes) {
  (void)gex_RMA_PutNBI(gondwana_gasnet_team(), node, dest, src, nbytes, GEX_EVENT_NOW, 0);
}
static inline void gasnet_put_nbi_bulk(gasnet_node_t node, void* dest, const void* src,
                                       size_t nbytes) {
  (void)gex_RMA_PutNBI(gondwana_gasnet_team(), node, dest, src, nbytes, GEX_EVENT_DEFER, 0);
}
static inline void gasnet_get_nbi(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  (void)gex_RMA_GetNBI(gondwana_gasnet_team(), dest, node, src, nbytes, 0);
}
static inline void gasnet_get_nbi_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  gasnet_get_nbi(dest, node, src, nbytes);
}

// With a value instead of a buffer. nbytes is 1 to 8.
static inline void gasnet_put_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                                  size_t nbytes) {
  (void)gex_RMA_PutBlockingVal(gondwana_gasnet_team(), node, dest, value, nbytes, 0);
}
static inline gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void* dest,
                                                gasnet_register_value_t value, size_t nbytes) {
  return gex_RMA_PutNBVal(gondwana_gasnet_team(), node, dest, value, nbytes, 0);
}
static inline void gasnet_put_nbi_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                                      size_t nbytes) {
  (void)gex_RMA_PutNBIVal(gondwana_gasnet_team(), node, dest, value, nbytes, 0);
}
static inline gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void* src, size_t nbytes) {
  return gex_RMA_GetBlockingVal(gondwana_gasnet_team(), node, src, nbytes, 0);
}

// A value being fetched. It serves as its own handle, to be waited for once.
typedef gasnet_register_value_t gasnet_valget_handle_t;
static inline gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void* src,
                                                       size_t nbytes) {
  return gasnet_get_val(node, src, nbytes);
}
static inline gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle) {
  return handle;
}

// Sets nbytes at dest to the low byte of val.
void gondwana_gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes);
static inline void gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  gondwana_gasnet_memset(node, dest, val, nbytes);
}
static inline gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int val,
                                               size_t nbytes) {
  gondwana_gasnet_memset(node, dest, val, nbytes);
  return GASNET_INVALID_HANDLE;
}
static inline void gasnet_memset_nbi(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  gondwana_gasnet_memset(node, dest, val, nbytes);
}

// Polls once, and returns the results of gex_Event_Test and gex_NBI_Test in the form of GASNet-1.
static inline int gondwana_gasnet_tried(int pending) {
  return pending ? GASNET_ERR_NOT_READY : GASNET_OK;
}

// try: polls once, and returns GASNET_OK if complete, otherwise GASNET_ERR_NOT_READY. wait: polls
// until complete. some: at least one of the array; all: every one. Complete handles become
// GASNET_INVALID_HANDLE.
static inline void gasnet_wait_syncnb(gasnet_handle_t handle) {
  gex_Event_Wait(handle);
}
static inline int gasnet_try_syncnb(gasnet_handle_t handle) {
  (void)gasnet_AMPoll();
  return gondwana_gasnet_tried(gex_Event_Test(handle));
}
static inline void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t numhandles) {
  gex_Event_WaitSome(handles, numhandles, 0);
}
static inline int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t numhandles) {
  (void)gasnet_AMPoll();
  return gondwana_gasnet_tried(gex_Event_TestSome(handles, numhandles, 0));
}
static inline void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t numhandles) {
  gex_Event_WaitAll(handles, numhandles, 0);
}
static inline int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t numhandles) {
  (void)gasnet_AMPoll();
  return gondwana_gasnet_tried(gex_Event_TestAll(handles, numhandles, 0));
}

// The same for the calling thread's implicit operations.
static inline void gasnet_wait_syncnbi_gets(void) {
  gex_NBI_Wait(GEX_EC_GET, 0);
}
static inline void gasnet_wait_syncnbi_puts(void) {
  gex_NBI_Wait(GEX_EC_PUT, 0);
}
static inline void gasnet_wait_syncnbi_all(void) {
  gex_NBI_Wait(GEX_EC_GET | GEX_EC_PUT, 0);
}
static inline int gasnet_try_syncnbi_gets(void) {
  (void)gasnet_AMPoll();
  return gondwana_gasnet_tried(gex_NBI_Test(GEX_EC_GET, 0));
}
static inline int gasnet_try_syncnbi_puts(void) {
  (void)gasnet_AMPoll();
  return gondwana_gasnet_tried(gex_NBI_Test(GEX_EC_PUT, 0));
}
static inline int gasnet_try_syncnbi_all(void) {
  (void)gasnet_AMPoll();
  return gondwana_gasnet_tried(gex_NBI_Test(GEX_EC_GET | GEX_EC_PUT, 0));
}

// Between the two calls, implicit operations belong to the handle that the second returns.
static inline void gasnet_begin_nbi_accessregion(void) {
  gex_NBI_BeginAccessRegion(0);
}
static inline gasnet_handle_t gasnet_end_nbi_accessregion(void) {
  return gex_NBI_EndAccessRegion(0);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_LEGACY_RMA_H
