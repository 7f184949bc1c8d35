// The layout of GASNet-EX active messages in the engine's messages.
//
//   InboxMessage::handler    endpoint of the receiver << 8 | index of the handler
//   InboxMessage::kind       a Category; the engine does not read it
//   InboxMessage::arguments  number of arguments, which are the first words
//   InboxMessage::spare      endpoint of the sender, for the reply
//   words after them         a Medium's short payload, or a Long's address at the target
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/am/messages.hpp"
#include "front/gasnet/objects.hpp"

namespace gondwana::gasnet {

// long_in_message: the block of the message carries the payload of the Long. The receiver copies it
// to its target before the handler runs.
enum class Category : std::uint8_t { short_message, medium, long_message, long_in_message };

// Where a message goes, and its class.
struct Destination {
  Door& door;
  std::uint32_t process;
  gex_EP_Index_t endpoint;
  gex_EP_Index_t from_endpoint;
  MessageClass message_class;
  CallName call;
};

struct Arguments {
  unsigned count;
  const gex_AM_Arg_t* values;
};

Destination request_to(gex_TM_t tm, gex_Rank_t rank, CallName call);
Destination reply_to(gex_Token_t token, CallName call);

// Runs the handler of a message. `context` is the Door.
void receive(void* context, const Incoming& incoming);

// The message of a Long contains the address of its payload.
inline void write_target(InboxMessage& message, const void* target) {
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  std::memcpy(message.short_payload().data(), &address, sizeof(address));
}
inline void* read_target(InboxMessage& message) {
  std::uintptr_t address = 0;
  std::memcpy(&address, message.short_payload().data(), sizeof(address));
  return reinterpret_cast<void*>(address);
}

inline constexpr std::size_t max_medium = longest_medium;
inline constexpr std::size_t max_long = std::size_t{1} << 30;
// The same if messages may carry the payload.
std::size_t longest_long(const Door& door);

}  // namespace gondwana::gasnet

// A handler's view of its message. It lives on the stack of the thread that runs the handler.
struct gondwana_gex_token {
  gondwana::gasnet::Door* door;
  std::uint32_t process;         // the sender
  gex_EP_Index_t from_endpoint;  // the sender's endpoint
  gex_EP_t endpoint;             // the receiver
  const gex_AM_Entry_t* entry;
  bool is_request;
  bool is_long;
  bool replied = false;
};
