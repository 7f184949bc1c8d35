// The exit statuses that shells, mpirun and timeout(1) have taught people to expect.
#pragma once

#include <string>

#include "core/result.hpp"

namespace gondwana {

inline constexpr int exit_failure = 1;  // ours: wrong words, no memory, no descriptors
inline constexpr int exit_timeout = 124;
inline constexpr int exit_not_runnable = 126;
inline constexpr int exit_not_found = 127;
inline constexpr int exit_signal_base = 128;  // + the number of the signal

// What a program that cannot be started ends with.
constexpr int exit_status(Errc code) {
  if (code == Errc::missing) return exit_not_found;
  return code == Errc::refused ? exit_not_runnable : exit_failure;
}

// Of a process that has ended: 0 to 255, or 128 + the signal. `wait_status`: as waitpid() gave it.
int exit_status(int wait_status);

// "SIGSEGV"
std::string name_of_signal(int signal);

// "was killed by SIGSEGV" or "ended with status 1"
std::string how_it_ended(int wait_status);

}  // namespace gondwana
