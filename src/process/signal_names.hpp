// Signals and their names.
#pragma once

#include <optional>
#include <string_view>

namespace gondwana {

// The number of "SIGUSR1", "usr1" or "10".
std::optional<int> signal_number(std::string_view name);
// "SIGUSR1", or "a signal" if it has no name here.
const char* signal_name(int number);

}  // namespace gondwana
