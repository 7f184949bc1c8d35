// How long another host may be silent.
#pragma once

#include <cstdint>

#include "core/result.hpp"

namespace gondwana::link {

// The seconds of silence after which a host counts as lost, from GONDWANA_PEER_TIMEOUT; 0: no
// limit.
Result<std::uint32_t> peer_timeout_of_user();

}  // namespace gondwana::link
