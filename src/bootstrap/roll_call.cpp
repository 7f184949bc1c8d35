#include "bootstrap/roll_call.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <functional>

namespace gondwana {

// The hash keeps long job names within the 107 bytes of a socket name. All ranks are the same build
// and compute the same hash. With different hashes a message would only miss a name.
RollCall::RollCall(std::string_view job, std::uint32_t rank)
    : job_(fmt::format("{:x}", std::hash<std::string_view>{}(job))), own_(hold_name_of(rank)) {}

// Nothing if another process holds it.
UniqueFd RollCall::hold_name_of(std::uint32_t rank) const {
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = fmt::format("gondwana-{}-{}", job_, rank);
  std::ranges::copy(name, address.sun_path + 1);  // after a zero: not a file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return {};
  return socket;
}

std::vector<std::uint32_t> RollCall::missing(std::uint32_t ranks) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (hold_name_of(rank)) result.push_back(rank);
  return result;
}

}  // namespace gondwana
