// Gondwana's GASNet-EX: the interface of specification 0.19 and of release 2025.8.0.
//
// Compile with one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR defined, and with GASNET_DEBUG to
// have calls checked (or run with GONDWANA_DEBUG=yes). What holds for all calls, unless one says
// otherwise:
//
// - A team and a rank name the other endpoint; ranks count from 0. Addresses there are those of the
//   process that owns the memory, inside the segment bound to the endpoint. Sizes are in bytes.
// - Calls named NB return an event; those named NBI belong to gex_NBI_Test and gex_NBI_Wait; the
//   others are complete when they return.
// - A collective call is made by every member of the team, in the same order.
// - A handler, and the holder of a gex_HSL_t, may call nothing but queries, locks, gasnet_exit and,
//   a request's handler that holds no lock, one reply.
// - Calls that return int return 0 for success. Errors that are the program's end the job with one
//   sentence that names the call.
//
// Names that contain gondwana_ or GONDWANA_ are not for programs.
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

// Its texts for gex_ types need them declared.
#include "gasnet_tools.h"

#endif  // GONDWANA_GASNETEX_H
