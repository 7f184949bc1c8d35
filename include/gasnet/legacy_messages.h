// Active messages of GASNet-1. Part of gasnet.h.
#ifndef GONDWANA_GASNET_LEGACY_MESSAGES_H
#define GONDWANA_GASNET_LEGACY_MESSAGES_H

#include "legacy_job.h"

#ifdef __cplusplus
extern "C" {
#endif

// The maximum number of arguments of a message, and the largest payloads in bytes, between any two
// nodes.
static inline size_t gasnet_AMMaxArgs(void) {
  return gex_AM_MaxArgs();
}
static inline size_t gasnet_AMMaxMedium(void) {
  const size_t request = gex_AM_LUBRequestMedium();
  const size_t reply = gex_AM_LUBReplyMedium();
  return request < reply ? request : reply;
}
static inline size_t gasnet_AMMaxLongRequest(void) {
  return gex_AM_LUBRequestLong();
}
static inline size_t gasnet_AMMaxLongReply(void) {
  return gex_AM_LUBReplyLong();
}

// The node that sent the message whose handler is running. Returns GASNET_OK.
static inline int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* srcindex) {
  gex_Token_Info_t info;
  (void)gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  *srcindex = info.gex_srcrank;
  return GASNET_OK;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#include "generated/legacy_message_calls.h"

#endif  // GONDWANA_GASNET_LEGACY_MESSAGES_H
