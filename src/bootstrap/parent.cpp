#include "bootstrap/parent.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace gondwana {

// The parent may have ended between fork and here, and no signal would come: check once more.
Result<void> die_with_parent() {
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return Error{Errc::peer_lost, "the launcher is gone"};
  return {};
}

bool started_by_lasting_thread() {
  const pid_t parent = ::getppid();
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", parent, parent));
  for (pid_t child = 0; children >> child;)
    if (child == ::getpid()) return true;
  return false;
}

}  // namespace gondwana
