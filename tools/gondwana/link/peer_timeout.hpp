// How long another host may be silent.
#pragma once

#include <cstdint>

#include "core/result.hpp"

namespace gondwana::link {

// How many seconds of silence mean that a host is gone, by GONDWANA_PEER_TIMEOUT; 0: none.
Result<std::uint32_t> peer_timeout_of_user();

}  // namespace gondwana::link
