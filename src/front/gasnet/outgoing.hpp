// The steps of sending, shared by fixed and negotiated payload.
#pragma once

#include <cstring>
#include <optional>

#include "front/gasnet/door.hpp"
#include "front/gasnet/messages.hpp"

namespace gondwana::gasnet {

struct MessageForm {
  Category category;
  gex_AM_Index_t handler;
  std::size_t bytes;  // bytes of payload
  Arguments arguments;
};

// With GEX_FLAG_IMMEDIATE, a message to another node must not wait for a thread that uses the
// network. The caller holds the turn from open() to send().
class Turn {
 public:
  Turn(const Destination& to, gex_Flags_t flags) {
    if ((flags & GEX_FLAG_IMMEDIATE) == 0 || to.door.reaches(to.process)) return;
    wire_ = to.door.engine().remote().try_take_turn();
    is_mine_ = wire_.owns_lock();
  }
  explicit operator bool() const { return is_mine_; }

 private:
  std::unique_lock<std::recursive_mutex> wire_;
  bool is_mine_ = true;
};

// Called after a message to this process. Runs the handler if possible, because the sender may now
// wait for the handler without polling.
void receive_own(Door& door);

// Empty if the queue is full and GEX_FLAG_IMMEDIATE is set. Then it first makes network progress,
// which may free an entry.
[[gnu::always_inline]] inline std::optional<Draft> open(const Destination& to, Payload payload,
                                                        gex_Flags_t flags) {
  Engine& engine = to.door.engine();
  const auto receiver = Rank(to.process);
  const std::optional<Draft> draft =
      engine.messages().try_open(receiver, to.message_class, payload);
  if (draft) [[likely]]
    return draft;
  if ((flags & GEX_FLAG_IMMEDIATE) == 0)
    return engine.waiter().wait_and_open(to.call, receiver, to.message_class, payload);
  if (!to.door.reaches(to.process)) engine.remote().progress();
  return std::nullopt;
}

// The payload must be in place already.
[[gnu::always_inline]] inline void send(const Destination& to, const Draft& draft,
                                        const MessageForm& form) {
  InboxMessage& message = *draft.message;
  message.handler = static_cast<std::uint16_t>(to.endpoint << 8 | form.handler);
  message.kind = static_cast<std::uint8_t>(form.category);
  message.arguments = static_cast<std::uint8_t>(form.arguments.count);
  message.spare = to.from_endpoint;
  message.payload_bytes = static_cast<std::uint32_t>(form.bytes);
  if (form.arguments.count > 0)
    std::memcpy(message.words.data(), form.arguments.values,
                form.arguments.count * sizeof(gex_AM_Arg_t));
  to.door.engine().messages().publish(draft);
  if (to.process == to.door.rank()) [[unlikely]]
    receive_own(to.door);
}

// Returns 1 if the queue is full and GEX_FLAG_IMMEDIATE is set, else 0. `lc_opt` may be null.
int send_medium(const Destination& to, gex_AM_Index_t handler, Bytes payload, gex_Event_t* lc_opt,
                gex_Flags_t flags, const Arguments& arguments);

// Whether the message of a Long carries its payload, because a put to the receiver is a message.
inline bool is_carried(const Destination& to) {
  return to.door.has_everything() && to.process != to.door.rank();
}
bool fits_in_message(std::size_t bytes, unsigned arguments);
// False if the queue is full and GEX_FLAG_IMMEDIATE is set.
bool deliver_long(const Destination& to, Bytes payload, void* dest, gex_Flags_t flags);

}  // namespace gondwana::gasnet
