// The steps of sending, shared by fixed and negotiated payload.
#pragma once

#include <optional>

#include "front/gasnet/messages.hpp"

namespace gondwana::gasnet {

struct Letter {
  Category category;
  gex_AM_Index_t handler;
  std::size_t bytes;  // of payload
  Arguments arguments;
};

// Nothing only with GEX_FLAG_IMMEDIATE, where there is no room now.
std::optional<Draft> open(const Destination& to, Payload payload, gex_Flags_t flags);
// The payload is in its place already.
void send(const Destination& to, const Draft& draft, const Letter& letter);

// All of it. 0, or 1 where GEX_FLAG_IMMEDIATE kept it from being sent. `lc_opt` may be null.
int send_medium(const Destination& to, gex_AM_Index_t handler, Bytes payload, gex_Event_t* lc_opt,
                gex_Flags_t flags, const Arguments& arguments);

bool fits_in_message(std::size_t bytes, unsigned arguments);
void deliver_long(const Destination& to, Bytes payload, void* dest);

}  // namespace gondwana::gasnet
