// Gondwana's GASNet-1: the interface of specification 1.8, on top of gasnetex.h.
//
// For programs that begin with gasnet_init and gasnet_attach, or that pass GEX_FLAG_USES_GASNET1 to
// gex_Client_Init. Calls go through the primordial team: a node is a rank of the job.
#ifndef GONDWANA_GASNET_H
#define GONDWANA_GASNET_H
#define _INCLUDED_GASNET_H 1  // programs test this macro for the names

#include "gasnetex.h"

#include "gasnet_vis.h"

#include "gasnet/legacy_job.h"

#include "gasnet/generated/legacy_vis_calls.h"
#include "gasnet/legacy_messages.h"
#include "gasnet/legacy_rma.h"

#endif  // GONDWANA_GASNET_H
