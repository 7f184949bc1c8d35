// GASNet-EX on Gondwana: puts and gets of memory that is not contiguous.
#ifndef GONDWANA_GASNET_VIS_H
#define GONDWANA_GASNET_VIS_H

#include "gasnetex.h"

#include "gasnet/generated/vis_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

// Deprecated. Names the handler, a Medium reply without arguments, that runs at the peer when the
// data of this thread's next put of this header is there; 0: none. The payload, of at most
// GEX_VIS_MAX_PEERCOMPLETION bytes, stays unchanged until that put is complete here. flags is 0.
// GASNet-EX 0.19, VIS Put Peer Completion.
#define GEX_VIS_MAX_PEERCOMPLETION ((size_t)127)
void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source_addr,
                                      size_t nbytes, gex_Flags_t flags);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_VIS_H
