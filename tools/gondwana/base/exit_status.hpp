// Exit statuses, as in shells, mpirun and timeout(1).
#pragma once

#include <string>

#include "core/result.hpp"

namespace gondwana {

inline constexpr int exit_failure = 1;  // errors in arguments, memory or descriptors
inline constexpr int exit_timeout = 124;
inline constexpr int exit_not_runnable = 126;
inline constexpr int exit_not_found = 127;
inline constexpr int exit_signal_base = 128;  // add the number of the signal

// The exit status if a program cannot be started.
constexpr int exit_status(Errc code) {
  if (code == Errc::missing) return exit_not_found;
  return code == Errc::refused ? exit_not_runnable : exit_failure;
}

// The exit status of an ended process: 0 to 255, or 128 + the signal. `wait_status` comes from
// waitpid().
int exit_status(int wait_status);

// "SIGSEGV"
std::string name_of_signal(int signal);

// "was killed by SIGSEGV" or "ended with status 1"
std::string describe_exit(int wait_status);

}  // namespace gondwana
