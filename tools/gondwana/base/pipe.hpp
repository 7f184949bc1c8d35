// A pipe that exec closes.
#pragma once

#include <string_view>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

struct Pipe {
  UniqueFd from;
  UniqueFd to;
};

// `what` names the pipe in the error message, such as "a pipe to a host".
Result<Pipe> make_pipe(std::string_view what = "a pipe");

void make_non_blocking(const UniqueFd& fd);

}  // namespace gondwana
