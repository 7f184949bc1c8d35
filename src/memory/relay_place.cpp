#include "memory/relay_place.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>

namespace gondwana {

Result<UniqueFd> create_agent_bell() {
  UniqueFd bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (bell) return bell;
  return Error{Errc::refused,
               fmt::format("cannot make the eventfd of the node agent: {}{}", std::strerror(errno),
                           errno == EMFILE ? "; raise ulimit -n" : "")};
}

}  // namespace gondwana
