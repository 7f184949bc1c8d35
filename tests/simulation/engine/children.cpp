#include "simulation/engine/children.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "core/assert.hpp"

namespace gondwana::simulation {
namespace {

void hide_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  GONDWANA_ASSERT(nowhere >= 0, errno);
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, number);
}

}  // namespace

bool returns_in_child(const std::function<void()>& run, Output output) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  GONDWANA_ASSERT(child >= 0, errno);
  if (child == 0) {
    if (output == Output::hidden) hide_output();
    tell_crashes();
    run();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) GONDWANA_ASSERT(errno == EINTR, errno);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace gondwana::simulation
