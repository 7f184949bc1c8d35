#include "base/exit_status.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace gondwana {

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? exit_signal_base + WTERMSIG(wait_status)
                                  : WEXITSTATUS(wait_status);
}

std::string name_of_signal(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string describe_exit(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("was killed by {}", name_of_signal(WTERMSIG(wait_status)));
  return fmt::format("ended with status {}", WEXITSTATUS(wait_status));
}

}  // namespace gondwana
