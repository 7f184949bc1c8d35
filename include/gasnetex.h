// Gondwana's GASNet-EX: the interface of specification 0.19 and of release 2025.8.0.
//
// Compile with one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR defined, and with GASNET_DEBUG to
// check calls (or run with GONDWANA_DEBUG=yes). The following holds for all calls unless stated
// otherwise:
//
// - A team and a rank name the other endpoint; ranks count from 0. Addresses there are those of the
//   process that owns the memory, inside the segment bound to the endpoint. Sizes are in bytes.
// - Calls named NB return an event; those named NBI belong to gex_NBI_Test and gex_NBI_Wait; the
//   others are complete when they return.
// - Every member of the team makes a collective call, in the same order.
// - A handler, and the holder of a gex_HSL_t, may only call queries, locks and gasnet_exit. A
//   request handler that holds no lock may also send one reply.
// - Calls that return int return 0 for success. A program error ends the job with a message that
//   names the call.
//
// Names that contain gondwana_ or GONDWANA_ are internal.
#ifndef GONDWANA_GASNETEX_H
#define GONDWANA_GASNETEX_H

#include "gasnet_fwd.h"

#include "gasnet/configuration.h"

#include "gasnet/client.h"
#include "gasnet/endpoint.h"
#include "gasnet/events.h"
#include "gasnet/messages.h"
#include "gasnet/progress.h"
#include "gasnet/rma.h"
#include "gasnet/segment.h"
#include "gasnet/system.h"
#include "gasnet/team.h"

// Declares texts for gex_ types, which must be declared first.
#include "gasnet_tools.h"

#endif  // GONDWANA_GASNETEX_H
