// Running handlers. GASNet-EX 0.19, Active Messages.
#include <array>
#include <cstring>
#include <utility>

#include "front/gasnet/context.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/messages.hpp"

namespace gondwana::gasnet {
namespace {

template <std::size_t>
using Argument = gex_AM_Arg_t;

using Caller = void (*)(gex_AM_Fn_t handler, gex_Token_t token, void* payload, std::size_t size,
                        const gex_AM_Arg_t* arguments);

template <std::size_t... I>
void call_short(gex_AM_Fn_t handler, gex_Token_t token, const gex_AM_Arg_t* arguments,
                std::index_sequence<I...> /*unused*/) {
  reinterpret_cast<void (*)(gex_Token_t, Argument<I>...)>(handler)(token, arguments[I]...);
}

template <std::size_t... I>
void call_with_payload(gex_AM_Fn_t handler, gex_Token_t token, void* payload, std::size_t size,
                       const gex_AM_Arg_t* arguments, std::index_sequence<I...> /*unused*/) {
  reinterpret_cast<void (*)(gex_Token_t, void*, std::size_t, Argument<I>...)>(handler)(
      token, payload, size, arguments[I]...);
}

template <bool WithPayload, std::size_t Count>
void call(gex_AM_Fn_t handler, gex_Token_t token, [[maybe_unused]] void* payload,
          [[maybe_unused]] std::size_t size, const gex_AM_Arg_t* arguments) {
  if constexpr (WithPayload)
    call_with_payload(handler, token, payload, size, arguments, std::make_index_sequence<Count>());
  else
    call_short(handler, token, arguments, std::make_index_sequence<Count>());
}

// Indexed by the number of arguments.
template <bool WithPayload, std::size_t... Count>
constexpr std::array<Caller, sizeof...(Count)> callers(std::index_sequence<Count...> /*unused*/) {
  return {&call<WithPayload, Count>...};
}
constexpr auto short_callers = callers<false>(std::make_index_sequence<max_arguments + 1>());
constexpr auto payload_callers = callers<true>(std::make_index_sequence<max_arguments + 1>());

[[noreturn, gnu::cold]] void refuse(const Incoming& incoming, const char* what) {
  give_up("active message",
          fmt::format("a {} of rank {} is for handler {} of endpoint {}, {}",
                      incoming.message_class == MessageClass::request ? "request" : "reply",
                      index(incoming.from), incoming.message.handler & 0xff,
                      incoming.message.handler >> 8, what));
}

const gex_AM_Entry_t& find_handler(Door& door, const Incoming& incoming) {
  const std::uint32_t number = incoming.message.handler;
  const auto place = static_cast<gex_EP_Index_t>(number >> 8);
  const gex_EP_t endpoint = place < max_endpoints ? door.endpoints()[place] : nullptr;
  if (endpoint == nullptr) refuse(incoming, "which does not exist here");
  // If a client registers handlers with the first endpoint only, they serve all endpoints.
  const bool has_own = endpoint->handlers[number & 0xff].gex_fnptr != nullptr;
  const gex_AM_Entry_t& entry =
      (has_own ? endpoint : door.endpoints().first())->handlers[number & 0xff];
  if (entry.gex_fnptr == nullptr)
    refuse(
        incoming,
        "which is not registered here; register handlers and synchronize before the first message");
  if (incoming.message.arguments > max_arguments)
    refuse(incoming, "with more arguments than a message may have");
  return entry;
}

// Compares the message with the registration of the handler.
void examine(const gex_AM_Entry_t& entry, const Incoming& incoming, Category category) {
  const gex_Flags_t flags = entry.gex_flags;
  const bool request = incoming.message_class == MessageClass::request;
  if ((flags & (request ? GEX_FLAG_AM_REQUEST : GEX_FLAG_AM_REPLY)) == 0)
    refuse(incoming, request ? "registered for replies only" : "registered for requests only");
  constexpr std::array<gex_Flags_t, 4> wanted{GEX_FLAG_AM_SHORT, GEX_FLAG_AM_MEDIUM,
                                              GEX_FLAG_AM_LONG, GEX_FLAG_AM_LONG};
  if ((flags & wanted.at(static_cast<std::size_t>(category))) == 0)
    refuse(incoming, "registered for another category: Short, Medium or Long");
  if (entry.gex_nargs != incoming.message.arguments && entry.gex_nargs != any_arguments)
    refuse(incoming, "registered with another number of arguments");
}

// Checks the target of the payload, because the sender did not check it.
void* place_payload(Door& door, gex_EP_t endpoint, const Incoming& incoming) {
  auto* target = static_cast<std::byte*>(read_target(incoming.message));
  const gex_Segment_t segment = endpoint->segment;
  const std::size_t bytes = incoming.message.payload_bytes;
  const bool fits = segment != GEX_SEGMENT_INVALID && bytes <= incoming.block.size() &&
                    bytes <= segment->size &&
                    static_cast<std::uintptr_t>(target - segment->address) <= segment->size - bytes;
  if (!fits && !door.has_everything())
    refuse(incoming, "with a payload for memory outside the segment of this endpoint");
  door.devices().copy("active message", target, incoming.block.data(), bytes);
  door.engine().memory().data_bell(Rank(door.rank())).ring_if_asleep();
  return target;
}

}  // namespace

void receive(void* context, const Incoming& incoming) {
  Door& door = *static_cast<Door*>(context);
  InboxMessage& message = incoming.message;
  const auto category = static_cast<Category>(message.kind);
  const gex_AM_Entry_t& entry = find_handler(door, incoming);
  if (door.checks()) examine(entry, incoming, category);
  gondwana_gex_token token{
      .door = &door,
      .process = index(incoming.from),
      .from_endpoint = static_cast<gex_EP_Index_t>(message.spare),
      .endpoint = door.endpoints()[static_cast<gex_EP_Index_t>(message.handler >> 8)],
      .entry = &entry,
      .is_request = incoming.message_class == MessageClass::request,
      .is_long = category == Category::long_message || category == Category::long_in_message};
  const auto* arguments = reinterpret_cast<const gex_AM_Arg_t*>(message.words.data());
  const HandlerContext running(token);
  const Waiter::Busy busy(door.engine().waiter());
  if (category == Category::short_message)
    return short_callers[message.arguments](entry.gex_fnptr, &token, nullptr, 0, arguments);
  void* payload = incoming.block.data();
  if (category == Category::long_message)
    payload = read_target(message);
  else if (category == Category::long_in_message)
    payload = place_payload(door, token.endpoint, incoming);
  else if (payload == nullptr)
    payload = message.short_payload().data();
  payload_callers[message.arguments](entry.gex_fnptr, &token, payload, message.payload_bytes,
                                     arguments);
}

}  // namespace gondwana::gasnet
