#include "base/end_of_command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "core/print_error.hpp"

namespace gondwana {
namespace {

int report_output_error(const char* reason) {
  print_error("gondwana: the output cannot be written: {}\n", reason);
  return 1;
}

// Writes the rest of the output buffer. Returns the exit status.
int flush_output(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const int error_text = report_output_error(errno != 0 ? std::strerror(errno) : "a write failed");
  return status != 0 ? status : error_text;
}

}  // namespace

int run_and_flush(FunctionRef<int()> command) {
  try {
    return flush_output(command());
  } catch (const std::system_error& failure) {  // no thread, or the output is full
    if (std::ferror(stdout) != 0) return report_output_error(failure.code().message().c_str());
    print_error("gondwana: {}\n", failure.what());
    return 1;
  } catch (const std::exception& failure) {  // out of memory
    print_error("gondwana: {}\n", failure.what());
    return 1;
  }
}

}  // namespace gondwana
