#include "base/pipe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gondwana {

Result<Pipe> make_pipe(std::string_view what) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0) return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  return Error{Errc::out_of_memory, fmt::format("cannot make {}: {}{}", what, std::strerror(errno),
                                                errno == EMFILE ? "; raise ulimit -n" : "")};
}

void make_non_blocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace gondwana
