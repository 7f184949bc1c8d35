// GASNet-EX on Gondwana: puts and gets of noncontiguous memory.
#ifndef GONDWANA_GASNET_VIS_H
#define GONDWANA_GASNET_VIS_H

#include "gasnetex.h"

#include "gasnet/generated/vis_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

// Deprecated. Names a handler, a Medium reply without arguments. It runs at the peer when the data
// of this thread's next put of this header has arrived. 0: none. The payload, at most
// GEX_VIS_MAX_PEERCOMPLETION bytes, must stay unchanged until that put is complete here. flags is
// 0. GASNet-EX 0.19, VIS Put Peer Completion.
#define GEX_VIS_MAX_PEERCOMPLETION ((size_t)127)
void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source_addr,
                                      size_t nbytes, gex_Flags_t flags);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_VIS_H
