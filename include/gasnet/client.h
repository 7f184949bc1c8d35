// The client: how a program joins the job. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_CLIENT_H
#define GONDWANA_GASNET_CLIENT_H

#include "../gasnet_fwd.h"
#include "configuration.h"

#ifdef __cplusplus
extern "C" {
#endif

// Data about the source file that starts the library.
#define GONDWANA_GASNET_ABI 2
struct gondwana_gex_build {
  uint32_t abi;  // version of the structures and functions that inline code of these headers uses
  uint32_t threads;  // 0: GASNET_SEQ, 1: GASNET_PARSYNC, 2: GASNET_PAR
  uint32_t checks;   // 1: GASNET_DEBUG
  const char* ident;
};

// Exists only in a library with this ABI, so that another library fails to link.
extern const volatile int gondwana_gasnet_abi_2;

int gondwana_gex_client_init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                             const char* name, int* argc, char*** argv, gex_Flags_t flags,
                             const struct gondwana_gex_build* build);

// For tools that count calls: after gex_Client_Init, inline code finds no reachable memory, so
// every put, get and atomic update calls the library.
void gondwana_gex_call_always(void);

// For GASNET_SEGMENT_EVERYTHING, before gex_Client_Init.
void gondwana_gex_reach_everything(void);

static inline const struct gondwana_gex_build* gondwana_gex_this_build(void) {
  static const struct gondwana_gex_build build = {GONDWANA_GASNET_ABI, GONDWANA_GASNET_THREADS,
                                                  GONDWANA_GASNET_CHECKS, GASNET_CONFIG_STRING};
  const int linked = gondwana_gasnet_abi_2;
  (void)linked;
#if defined(GASNET_SEGMENT_EVERYTHING)
  gondwana_gex_reach_everything();
#endif
  return &build;
}

// Joins the job: creates the client, the primordial endpoint (index 0, without a segment) and the
// team of all primordial endpoints. Collective over the job, once in a process. No process returns
// before all can be reached. argc and argv are main's, or null in every process. flags:
// GEX_FLAG_USES_GASNET1, GEX_FLAG_DEFER_THREADS. Returns GASNET_OK or an error code. GASNet-EX
// 0.19, Operations on gex_Client_t.
static inline int gex_Client_Init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                                  const char* clientName, int* argc, char*** argv,
                                  gex_Flags_t flags) {
  return gondwana_gex_client_init(client_p, ep_p, tm_p, clientName, argc, argv, flags,
                                  gondwana_gex_this_build());
}

// The arguments of gex_Client_Init.
gex_Flags_t gex_Client_QueryFlags(gex_Client_t client);
const char* gex_Client_QueryName(gex_Client_t client);

// A pointer of the client, stored in the object; initially null.
void gex_Client_SetCData(gex_Client_t client, const void* val);
void* gex_Client_QueryCData(gex_Client_t client);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_CLIENT_H
