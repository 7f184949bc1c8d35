// Whether ranks live, in place of locks that the kernel releases: memory/presence.hpp.
#pragma once

#include <cstdint>

#include "memory/presence.hpp"

namespace gondwana::simulation {

void begin_presence(Presence& presence);
void end_presence(Presence& presence, std::uint32_t rank);

}  // namespace gondwana::simulation
