#include "bootstrap/parent.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "core/process_stat.hpp"

namespace gondwana {

// The parent may have ended between fork and here, and no signal would come: check once more.
Result<void> die_with_parent() {
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return Error{Errc::peer_lost, "the launcher has ended"};
  return {};
}

bool started_by_lasting_thread() {
  const pid_t parent = ::getppid();
  const auto children = children_of(parent, parent);
  return children && std::ranges::find(*children, ::getpid()) != children->end();
}

}  // namespace gondwana
