/*
 * Start of a GASNet-EX client without a launcher, by a unique id. An extension of Gondwana, which
 * gasnetex.h does not include.
 */
#ifndef GONDWANA_GASNET_UNIQUE_ID_H
#define GONDWANA_GASNET_UNIQUE_ID_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GONDWANA_GASNET_UNIQUEID_BYTES 128

/*
 * Writes the 128 bytes of a new id, for one start of one job. One process calls it, and any channel
 * carries the id to the others. That process must live until all have joined.
 *
 * Both calls return GASNET_OK, or GASNET_ERR_RESOURCE after a message on standard error.
 */
int gondwana_gasnet_get_uniqueid(void* id);

/*
 * Makes this process a rank of the job of the id. Collective over its processes, before
 * gex_Client_Init or gasnet_init, which is then in that job. Waits for the others at most
 * GONDWANA_JOIN_TIMEOUT seconds. The ranks of one host must have consecutive numbers.
 */
int gondwana_gasnet_join_uniqueid(const void* id, gex_Rank_t rank, gex_Rank_t ranks);

#ifdef __cplusplus
}
#endif

#endif
