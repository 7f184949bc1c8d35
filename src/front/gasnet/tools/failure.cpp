#include "front/gasnet/tools/failure.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "front/gasnet/tools/message.hpp"
#include "gasnet_tools.h"

namespace gondwana::gasnet::tools {
namespace {

// Set by the first thread that fails, read by handlers of signals of any.
constinit std::atomic<bool> failing{false};

[[noreturn]] void end_program() {
  failing.store(true, std::memory_order_relaxed);
  gasnett_freezeForDebuggerErr();
  gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  std::abort();
}

// Output that came before the failure belongs before its message.
std::array<char, 3072> message_of(const char* format, va_list arguments) {
  std::fflush(stdout);
  std::array<char, 3072> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  return text;
}

}  // namespace

bool is_failing() {
  return failing.load(std::memory_order_relaxed);
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

void gondwana_gasnett_fatal_error(const char* function, const char* file, int line,
                                  const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("fatal error in %s (%s:%d): %s", function, file, line, message_of(format, arguments).data());
  va_end(arguments);
  end_program();
}

void gasnett_fatalerror_nopos(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("fatal error: %s", message_of(format, arguments).data());
  va_end(arguments);
  end_program();
}

char* gondwana_gasnett_location(const char* function, const char* file, int line) {
  constexpr const char* form = "%s (%s:%d)";
  const int length = std::snprintf(nullptr, 0, form, function, file, line);
  const std::size_t size = static_cast<std::size_t>(length) + 1;
  auto* text = static_cast<char*>(std::malloc(size));
  if (text != nullptr) std::snprintf(text, size, form, function, file, line);
  return text;
}

void gasnett_killmyprocess(int exitcode) {
  _exit(exitcode);
}
