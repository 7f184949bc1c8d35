#include "process/standard_output.hpp"

#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <span>
#include <string_view>

namespace gondwana {
namespace {

// The output of this process. Never freed, because exit handlers print.
struct Output {
  std::array<char, 32768> buffer{};
  std::atomic<bool> is_set{false};  // the standard output uses the buffer above
  std::atomic<bool> crashes{false};
};
constinit Output output;

std::string_view asked_in(const Environment& environment) {
  return setting_of(variable(VariableId::gondwana_stdout_buffer), environment).value;
}

bool is_pipe_or_socket(int descriptor) {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

void print_by_line(const Environment& environment) {
  if (asked_in(environment) == "full" || !is_pipe_or_socket(STDOUT_FILENO)) return;
  if (__fbufsize(stdout) != 0) return;  // it was used, or a tool such as stdbuf has set a buffer
  std::setvbuf(stdout, output.buffer.data(), _IOLBF, output.buffer.size());
  output.is_set = true;
}

// Another thread may be writing the same bytes: wait briefly until it has finished.
void write_last_lines() {
  if (!output.is_set || output.crashes.exchange(true)) return;
  constexpr timespec moment{0, 1'000'000};
  bool is_locked = false;
  for (int i = 0; i < 20 && !is_locked; ++i) {
    is_locked = ::ftrylockfile(stdout) == 0;
    if (!is_locked) ::nanosleep(&moment, nullptr);
  }
  const char* const begin = output.buffer.data();
  const char* const from = stdout->_IO_write_base;
  const char* const to = stdout->_IO_write_ptr;
  if (from < begin || to < from || to > begin + output.buffer.size()) return;
  std::span rest(from, to);
  while (!rest.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count <= 0) return;
    rest = rest.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace gondwana
