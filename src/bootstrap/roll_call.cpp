#include "bootstrap/roll_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>

namespace gondwana {

// The hash keeps long job names within the 107 bytes of a socket name. All ranks are the same build
// and compute the same hash. With different hashes a message would only miss a name.
RollCall::RollCall(std::string_view job, std::uint32_t rank)
    : job_(fmt::format("{:x}", std::hash<std::string_view>{}(job))), own_(hold_name_of(rank)) {}

// Nothing if another process holds it.
UniqueFd RollCall::hold_name_of(std::uint32_t rank) const {
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const Name name = name_of(rank);
  if (!socket || ::bind(socket.get(), name.address(), name.length) != 0) return {};
  return socket;
}

// Asking does not take the name, so ranks that ask at the same time get the same answer.
bool RollCall::has_come(std::uint32_t rank) const {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const Name name = name_of(rank);
  return !socket || ::connect(socket.get(), name.address(), name.length) == 0 ||
         errno != ECONNREFUSED;
}

RollCall::Name RollCall::name_of(std::uint32_t rank) const {
  Name name{};
  name.socket.sun_family = AF_UNIX;
  const std::string text = fmt::format("gondwana-{}-{}", job_, rank);
  std::ranges::copy(text, name.socket.sun_path + 1);  // after a zero: not a file
  name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return name;
}

std::vector<std::uint32_t> RollCall::missing(std::uint32_t ranks) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (!has_come(rank)) result.push_back(rank);
  return result;
}

}  // namespace gondwana
