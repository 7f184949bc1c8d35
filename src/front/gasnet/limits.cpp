// The limits of messages, and the queries of handlers. GASNet-EX 0.19, AM limit queries.
//
// The limits do not depend on rank or arguments. A Medium fits into one block. The limit of a Long
// is below the range of its 32-bit count.
#include "front/gasnet/door.hpp"
#include "front/gasnet/messages.hpp"
#include "gasnet/messages.h"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

namespace {

// negotiated.cpp allocates the buffer of a negotiated-payload Long.
std::size_t longest(gex_Flags_t flags) {
  return (flags & GEX_FLAG_AM_PREPARE_LEAST_ALLOC) != 0 ? max_medium : longest_long(door());
}

}  // namespace

std::size_t gondwana::gasnet::longest_long(const Door& door) {
  return door.has_everything() ? max_medium : max_long;
}

unsigned gex_AM_MaxArgs(void) {
  return max_arguments;
}

size_t gex_AM_MaxRequestLong(gex_TM_t /*tm*/, gex_Rank_t /*other_rank*/,
                             const gex_Event_t* /*lc_opt*/, gex_Flags_t flags,
                             unsigned /*numargs*/) {
  return longest(flags);
}

size_t gex_AM_MaxReplyLong(gex_TM_t /*tm*/, gex_Rank_t /*other_rank*/,
                           const gex_Event_t* /*lc_opt*/, gex_Flags_t flags, unsigned /*numargs*/) {
  return longest(flags);
}

size_t gex_AM_MaxRequestMedium(gex_TM_t /*tm*/, gex_Rank_t /*other_rank*/,
                               const gex_Event_t* /*lc_opt*/, gex_Flags_t /*flags*/,
                               unsigned /*numargs*/) {
  return max_medium;
}

size_t gex_AM_MaxReplyMedium(gex_TM_t /*tm*/, gex_Rank_t /*other_rank*/,
                             const gex_Event_t* /*lc_opt*/, gex_Flags_t /*flags*/,
                             unsigned /*numargs*/) {
  return max_medium;
}

size_t gex_Token_MaxReplyLong(gex_Token_t /*token*/, const gex_Event_t* /*lc_opt*/,
                              gex_Flags_t flags, unsigned /*numargs*/) {
  return longest(flags);
}

size_t gex_Token_MaxReplyMedium(gex_Token_t /*token*/, const gex_Event_t* /*lc_opt*/,
                                gex_Flags_t /*flags*/, unsigned /*numargs*/) {
  return max_medium;
}

size_t gex_AM_LUBRequestLong(void) {
  return longest_long(door());
}

size_t gex_AM_LUBReplyLong(void) {
  return longest_long(door());
}

size_t gex_AM_LUBRequestMedium(void) {
  return max_medium;
}

size_t gex_AM_LUBReplyMedium(void) {
  return max_medium;
}

gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t /*mask*/) {
  *info = {.gex_srcrank = token->process,
           .gex_ep = token->endpoint,
           .gex_entry = token->entry,
           .gex_is_req = token->is_request ? 1 : 0,
           .gex_is_long = token->is_long ? 1 : 0};
  return GEX_TI_ALL;
}
