// Negotiated payload: the client writes the payload straight into the message, without a copy.
// GASNet-EX 0.19, Negotiated-payload AM APIs.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "front/gasnet/context.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/outgoing.hpp"
#include "gasnet/messages.h"
#include "gasnet/system.h"

// Lives between Prepare and Commit or Cancel. Used by the thread that called Prepare.
struct gondwana_gex_source_descriptor {
  gondwana::gasnet::Destination to;
  gex_Token_t token;  // null: a request
  gondwana::gasnet::Category category;
  gondwana::Draft draft;
  void* address;  // of the payload
  std::size_t size;
  bool is_client_buffer;  // the memory at `address` belongs to the client
  void* dest;             // of a Long; null: Commit passes it
  unsigned arguments;
  std::unique_ptr<std::byte[]> buffer;  // NOLINT(modernize-avoid-c-arrays): of a Long, not zeroed
};

namespace gondwana::gasnet {
namespace {

// The largest buffer that the library allocates for a Long.
constexpr std::size_t max_long_buffer = max_medium;

struct Wanted {
  const void* client_buffer;
  std::size_t least;
  std::size_t most;
  void* dest;
  gex_Event_t* lc_opt;
  gex_Flags_t flags;
  unsigned arguments;
};

void examine(const Destination& to, const Wanted& wanted, std::size_t limit) {
  if (wanted.least > wanted.most || wanted.least > limit)
    give_up(to.call, fmt::format("least_payload {} and most_payload {}: at most {} bytes fit",
                                 wanted.least, wanted.most, limit));
}

gex_AM_SrcDesc_t prepare(const Destination& to, gex_Token_t token, Category category,
                         const Wanted& wanted) {
  const bool is_client_buffer = wanted.client_buffer != nullptr;
  const bool is_medium = category == Category::medium;
  const std::size_t limit = is_medium          ? max_medium
                            : is_client_buffer ? longest_long(to.door)
                                               : max_long_buffer;
  examine(to, wanted, limit);
  const std::size_t size = std::min(wanted.most, limit);
  // A small payload is part of the message, even if the client wrote it elsewhere.
  const bool is_short = is_medium && fits_in_message(size, wanted.arguments);
  const Turn turn(to, wanted.flags);
  if (!turn) return GEX_AM_SRCDESC_NO_OP;
  const bool has_block = is_medium ? !is_short : is_carried(to);
  std::optional<Draft> draft = open(to, has_block ? Payload::block : Payload::none, wanted.flags);
  if (!draft) return GEX_AM_SRCDESC_NO_OP;
  draft->message->arguments = static_cast<std::uint8_t>(wanted.arguments);
  auto descriptor = std::make_unique<gondwana_gex_source_descriptor>(
      gondwana_gex_source_descriptor{.to = to,
                                     .token = token,
                                     .category = category,
                                     .draft = *draft,
                                     .address = const_cast<void*>(wanted.client_buffer),
                                     .size = size,
                                     .is_client_buffer = is_client_buffer,
                                     .dest = wanted.dest,
                                     .arguments = wanted.arguments,
                                     .buffer = nullptr});
  if (is_client_buffer) {
    if (reinterpret_cast<std::uintptr_t>(wanted.lc_opt) >
        reinterpret_cast<std::uintptr_t>(GEX_EVENT_GROUP))
      *wanted.lc_opt = GEX_EVENT_INVALID;  // the client may reuse the source after Commit
  } else if (!is_medium) {
    descriptor->buffer = std::make_unique_for_overwrite<std::byte[]>(size);  // NOLINT: as above
    descriptor->address = descriptor->buffer.get();
  } else {
    descriptor->address = is_short ? draft->message->short_payload().data() : draft->block.data();
  }
  if (to.door.checks()) context().prepared = descriptor.get();
  return descriptor.release();
}

void end(gex_AM_SrcDesc_t descriptor) {
  if (context().prepared == descriptor) context().prepared = nullptr;
  delete descriptor;
}

void examine_commit(const gondwana_gex_source_descriptor& prepared, std::size_t bytes,
                    unsigned arguments) {
  if (bytes > prepared.size)
    give_up(prepared.to.call,
            fmt::format("Commit of {} bytes; Prepare gave {}", bytes, prepared.size));
  if (arguments != prepared.arguments)
    give_up(prepared.to.call,
            fmt::format("Commit with {} arguments; Prepare had {}", arguments, prepared.arguments));
}

int commit(gex_AM_SrcDesc_t descriptor, gex_AM_Index_t handler, std::size_t bytes, void* dest,
           const Arguments& arguments) {
  gondwana_gex_source_descriptor& prepared = *descriptor;
  examine_commit(prepared, bytes, arguments.count);
  if (prepared.category == Category::long_message) {
    void* target = dest != nullptr ? dest : prepared.dest;
    if (is_carried(prepared.to)) {
      prepared.to.door.devices().copy(prepared.to.call, prepared.draft.block.data(),
                                      prepared.address, bytes);
      prepared.category = Category::long_in_message;
    } else {
      deliver_long(prepared.to, {static_cast<std::byte*>(prepared.address), bytes}, target, 0);
    }
    write_target(*prepared.draft.message, target);
  } else if (prepared.is_client_buffer && bytes > 0) {
    const MutableBytes in_message = prepared.draft.message->short_payload();
    std::byte* place =
        prepared.draft.block.empty() ? in_message.data() : prepared.draft.block.data();
    prepared.to.door.devices().copy(prepared.to.call, place, prepared.address, bytes);
  }
  send(prepared.to, prepared.draft, {prepared.category, handler, bytes, arguments});
  if (prepared.token != nullptr) prepared.token->replied = true;
  end(descriptor);
  return GASNET_OK;
}

int cancel(gex_AM_SrcDesc_t descriptor) {
  descriptor->to.door.engine().messages().cancel(descriptor->draft);
  end(descriptor);
  return GASNET_OK;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

// NOLINTBEGIN(readability-function-size): the standard chose the parameters

gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                             size_t least_payload, size_t most_payload,
                                             gex_Event_t* lc_opt, gex_Flags_t flags,
                                             unsigned numargs) {
  return prepare(request_to(tm, rank, "gex_AM_PrepareRequestMedium"), nullptr, Category::medium,
                 {client_buf, least_payload, most_payload, nullptr, lc_opt, flags, numargs});
}

gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned numargs) {
  return prepare(reply_to(token, "gex_AM_PrepareReplyMedium"), token, Category::medium,
                 {client_buf, least_payload, most_payload, nullptr, lc_opt, flags, numargs});
}

gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned numargs) {
  return prepare(request_to(tm, rank, "gex_AM_PrepareRequestLong"), nullptr, Category::long_message,
                 {client_buf, least_payload, most_payload, dest_addr, lc_opt, flags, numargs});
}

gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf,
                                         size_t least_payload, size_t most_payload, void* dest_addr,
                                         gex_Event_t* lc_opt, gex_Flags_t flags, unsigned numargs) {
  return prepare(reply_to(token, "gex_AM_PrepareReplyLong"), token, Category::long_message,
                 {client_buf, least_payload, most_payload, dest_addr, lc_opt, flags, numargs});
}

void* gex_AM_SrcDescAddr(gex_AM_SrcDesc_t sd) {
  return sd->address;
}

size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t sd) {
  return sd->size;
}

int gondwana_gex_commit_request_medium(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                       gex_Flags_t /*commit_flags*/, unsigned nargs,
                                       const gex_AM_Arg_t* args) {
  return commit(sd, handler, nbytes, nullptr, {nargs, args});
}

int gondwana_gex_commit_request_long(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                     void* dest_addr, gex_Flags_t /*commit_flags*/, unsigned nargs,
                                     const gex_AM_Arg_t* args) {
  return commit(sd, handler, nbytes, dest_addr, {nargs, args});
}

int gondwana_gex_commit_reply_medium(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                     gex_Flags_t /*commit_flags*/, unsigned nargs,
                                     const gex_AM_Arg_t* args) {
  return commit(sd, handler, nbytes, nullptr, {nargs, args});
}

int gondwana_gex_commit_reply_long(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                   void* dest_addr, gex_Flags_t /*commit_flags*/, unsigned nargs,
                                   const gex_AM_Arg_t* args) {
  return commit(sd, handler, nbytes, dest_addr, {nargs, args});
}

int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t /*flags*/) {
  return cancel(sd);
}

int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd, gex_Flags_t /*flags*/) {
  return cancel(sd);
}

int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd, gex_Flags_t /*flags*/) {
  return cancel(sd);
}

int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t /*flags*/) {
  return cancel(sd);
}

// NOLINTEND(readability-function-size)
