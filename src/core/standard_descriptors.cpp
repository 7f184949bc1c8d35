#include "core/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace gondwana {

void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The lowest free number is the missing one, unless another thread was faster.
    UniqueFd nothing(::open("/dev/null", O_RDONLY));
    if (nothing.get() == number) (void)nothing.release();
  }
}

UniqueFd beyond_standard_descriptors(UniqueFd file) {
  if (!file || file.get() > STDERR_FILENO) return file;
  return UniqueFd(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace gondwana
