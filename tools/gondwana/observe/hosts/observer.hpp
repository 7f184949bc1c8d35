// `gondwana ps --remote-observer`: examines the jobs of this user on this host. A process on
// another host has started it.
#pragma once

#include <string_view>

namespace gondwana::hosts {

inline constexpr std::string_view observer_option = "--remote-observer";

// Answers the questions on standard input (messages.hpp) until the input ends. Returns the exit
// status.
int run_observer();

}  // namespace gondwana::hosts
