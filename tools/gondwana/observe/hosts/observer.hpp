// `gondwana ps --remote-observer`: looks at the jobs of this user on this host for a process on
// another host, which has started it there.
#pragma once

#include <string_view>

namespace gondwana::hosts {

inline constexpr std::string_view observer_option = "--remote-observer";

// Answers the questions on standard input (messages.hpp) until it ends. Returns the exit status.
int run_observer();

}  // namespace gondwana::hosts
