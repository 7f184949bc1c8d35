#include "spaces/kinds/descriptor_of_peer.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gondwana {

Result<UniqueFd> fetch_descriptor(std::uint64_t process, int descriptor) {
  const UniqueFd peer(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  UniqueFd here(peer ? static_cast<int>(::syscall(SYS_pidfd_getfd, peer.get(), descriptor, 0))
                     : -1);
  if (here) return here;
  return Error{Errc::refused, fmt::format("cannot get descriptor {} of process {}: {}; sysctl "
                                          "kernel.yama.ptrace_scope=0 may allow it",
                                          descriptor, process, std::strerror(errno))};
}

}  // namespace gondwana
