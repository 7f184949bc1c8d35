// Active messages: handlers, limits, tokens, negotiated payload. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_MESSAGES_H
#define GONDWANA_GASNET_MESSAGES_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// A handler. It is called with a token, with the payload's address and length unless it is a
// Short's, and with its gex_AM_Arg_t arguments. It has no prototype in languages that allow this,
// so that handlers need no cast.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*gex_AM_Fn_t)();
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// One handler to register. GASNet-EX 0.19, AM handlers.
typedef struct {
  gex_AM_Index_t
      gex_index;  // GEX_AM_INDEX_BASE to 255; 0: the library chooses an index and writes it here
  gex_AM_Fn_t gex_fnptr;
  gex_Flags_t gex_flags;   // one category, and REQUEST, REPLY or REQREP
  unsigned int gex_nargs;  // 0 to gex_AM_MaxArgs()
  const void* gex_cdata;   // the handler gets it from gex_Token_Info
  const char* gex_name;    // for error messages; may be null
} gex_AM_Entry_t;

// Registers handlers with an endpoint. Each call adds more. Local and without a barrier: peers must
// not send to them before. Indices of 0 become the highest free ones, in the order of the table,
// which is copied. Returns GASNET_OK or an error code.
int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t numentries);

// The maximum number of arguments of a message: 16.
unsigned int gex_AM_MaxArgs(void);

// The largest payload in bytes between the caller and other_rank for calls with these values of
// lc_opt (any pointer represents all pointers), flags and numargs. GEX_RANK_INVALID: to any member.
// With a GEX_FLAG_AM_PREPARE_LEAST_ flag, the largest least_payload of Prepare. At least 512, the
// same at both ends and during the whole run. GASNet-EX 0.19, Active Message limit queries.
size_t gex_AM_MaxRequestLong(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                             gex_Flags_t flags, unsigned int numargs);
size_t gex_AM_MaxReplyLong(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                           gex_Flags_t flags, unsigned int numargs);
size_t gex_AM_MaxRequestMedium(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                               gex_Flags_t flags, unsigned int numargs);
size_t gex_AM_MaxReplyMedium(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                             gex_Flags_t flags, unsigned int numargs);

// The same for a reply to the request whose handler is running.
size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t* lc_opt, gex_Flags_t flags,
                              unsigned int numargs);
size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t* lc_opt, gex_Flags_t flags,
                                unsigned int numargs);

// A payload in bytes that always fits, whatever the peer, arguments and flags; at least 512.
size_t gex_AM_LUBRequestLong(void);
size_t gex_AM_LUBReplyLong(void);
size_t gex_AM_LUBRequestMedium(void);
size_t gex_AM_LUBReplyMedium(void);

// Data that a handler may query about its message. gex_srcrank is a rank in the job. gex_entry
// belongs to the library and must not be written.
typedef struct {
  gex_Rank_t gex_srcrank;
  gex_EP_t gex_ep;
  const gex_AM_Entry_t* gex_entry;
  int gex_is_req;
  int gex_is_long;
} gex_Token_Info_t;

// Writes the fields in mask, and returns the valid ones, which may be more. For handlers only.
gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t mask);

// Negotiated payload, first half: returns the buffer for a payload and its length, between
// least_payload and most_payload bytes. If client_buf is null, the library provides the memory and
// lc_opt is null. Otherwise the payload is at client_buf, and lc_opt is as in calls with fixed
// payload. A nonnull dest_addr binds Commit. The descriptor belongs to the thread, and is consumed
// by one successful Commit or one Cancel. Until then the thread may not communicate. With
// GEX_FLAG_IMMEDIATE it may be GEX_AM_SRCDESC_NO_OP. GASNet-EX 0.19, Negotiated-payload AM APIs.
gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                             size_t least_payload, size_t most_payload,
                                             gex_Event_t* lc_opt, gex_Flags_t flags,
                                             unsigned int numargs);
gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int numargs);
gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int numargs);
gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf,
                                         size_t least_payload, size_t most_payload, void* dest_addr,
                                         gex_Event_t* lc_opt, gex_Flags_t flags,
                                         unsigned int numargs);

// The buffer, aligned for any type, and the largest payload in bytes for Commit.
void* gex_AM_SrcDescAddr(gex_AM_SrcDesc_t sd);
size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t sd);

// Cancels a Prepare and releases its memory. Nothing is sent. flags is 0. Returns 0, or an error
// code.
int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);

// The common part of all calls that send, whatever their number of arguments. args is null if there
// are none.
int gondwana_gex_request_short(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                               gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args);
int gondwana_gex_request_medium(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                                const void* source_addr, size_t nbytes, gex_Event_t* lc_opt,
                                gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args);
int gondwana_gex_request_long(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                              const void* source_addr, size_t nbytes, void* dest_addr,
                              gex_Event_t* lc_opt, gex_Flags_t flags, unsigned int nargs,
                              const gex_AM_Arg_t* args);
int gondwana_gex_reply_short(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags,
                             unsigned int nargs, const gex_AM_Arg_t* args);
int gondwana_gex_reply_medium(gex_Token_t token, gex_AM_Index_t handler, const void* source_addr,
                              size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags,
                              unsigned int nargs, const gex_AM_Arg_t* args);
int gondwana_gex_reply_long(gex_Token_t token, gex_AM_Index_t handler, const void* source_addr,
                            size_t nbytes, void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                            unsigned int nargs, const gex_AM_Arg_t* args);
int gondwana_gex_commit_request_medium(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                       gex_Flags_t commit_flags, unsigned int nargs,
                                       const gex_AM_Arg_t* args);
int gondwana_gex_commit_request_long(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                     void* dest_addr, gex_Flags_t commit_flags, unsigned int nargs,
                                     const gex_AM_Arg_t* args);
int gondwana_gex_commit_reply_medium(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                     gex_Flags_t commit_flags, unsigned int nargs,
                                     const gex_AM_Arg_t* args);
int gondwana_gex_commit_reply_long(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                   void* dest_addr, gex_Flags_t commit_flags, unsigned int nargs,
                                   const gex_AM_Arg_t* args);

#ifdef __cplusplus
}  // extern "C"
#endif

#include "generated/message_calls.h"

#endif  // GONDWANA_GASNET_MESSAGES_H
