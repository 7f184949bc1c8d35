// Which ranks have come to join, for the error message of waiting ranks when one is missing.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/unique_fd.hpp"

namespace gondwana {

// Each rank holds a socket with a name that the whole job can compute; it carries no data. A rank
// with a free name has not come. The names exist only in the kernel of this machine.
class RollCall {
 public:
  RollCall(std::string_view job, std::uint32_t rank);

  std::vector<std::uint32_t> missing(std::uint32_t ranks) const;

 private:
  struct Name {
    sockaddr_un socket;
    socklen_t length;

    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&socket); }
  };

  Name name_of(std::uint32_t rank) const;
  UniqueFd hold_name_of(std::uint32_t rank) const;
  bool has_come(std::uint32_t rank) const;

  std::string job_;
  UniqueFd own_;
};

}  // namespace gondwana
