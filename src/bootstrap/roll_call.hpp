// Which ranks have come to join, for the error message of the ranks that wait when one does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/unique_fd.hpp"

namespace gondwana {

// Each rank holds a socket with a name that all of the job can work out; it carries nothing. Whose
// name is free has not come. Names of this kind live in the kernel only, and on this machine only.
class RollCall {
 public:
  RollCall(std::string_view job, std::uint32_t rank);

  std::vector<std::uint32_t> missing(std::uint32_t ranks) const;

 private:
  UniqueFd hold_name_of(std::uint32_t rank) const;

  std::string job_;
  UniqueFd own_;
};

}  // namespace gondwana
