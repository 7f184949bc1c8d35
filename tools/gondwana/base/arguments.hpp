// Parses values of options that several commands share.
#pragma once

#include <chrono>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// Parses seconds such as "0.5", from 0.05 to 3600. `option` is named in the error message.
Result<std::chrono::milliseconds> parse_seconds(std::string_view option, std::string_view word);

}  // namespace gondwana
