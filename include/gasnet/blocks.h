/*
 * Blocks of memory at any process of the job, which that process does not help to allocate or free.
 * An extension of Gondwana, which gasnetex.h does not include. On the process's node these calls
 * take no lock and send no message; from other nodes its node agent executes them.
 */
#ifndef GONDWANA_GASNET_BLOCKS_H
#define GONDWANA_GASNET_BLOCKS_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The endpoint whose bound segment has the blocks of a process. Every process has it from
 * gex_Client_Init on. Puts, gets and atomic operations reach a block by a pair of endpoints:
 *
 *   gex_TM_t blocks = gex_TM_Pair(ep, GONDWANA_GASNET_BLOCKS_EP);
 *   void* block = gondwana_gasnet_malloc_at(rank, bytes);
 *   gex_RMA_PutBlocking(blocks, rank, block, source, bytes, 0);
 *
 * An atomic domain may be made of this pair, although it is no team. The endpoint has no handlers.
 */
#define GONDWANA_GASNET_BLOCKS_EP ((gex_EP_Index_t)33)

/*
 * Allocates a block of "bytes" bytes at the process with this job rank, aligned to 64 bytes, and
 * returns its address there, which blocks of other processes may have, too. The block is not
 * cleared. It belongs to no process: any process may free it, and the end of the job ends it. NULL,
 * with a message, if there is no such process, or no free piece of that size in its memory for
 * blocks, whose size is GONDWANA_REMOTE_HEAP; freed blocks are used again, and not joined. NULL for
 * 0 bytes.
 */
void* gondwana_gasnet_malloc_at(gex_Rank_t jobrank, size_t bytes);

/*
 * Frees a block; NULL has no effect. Complete all operations on it first. Returns GASNET_OK, or
 * GASNET_ERR_BAD_ARG, with a message, if the address is not that of an allocated block; nothing
 * changes then.
 */
int gondwana_gasnet_free_at(gex_Rank_t jobrank, void* block);

#ifdef __cplusplus
}
#endif

#endif
