#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "gasnet_tools.h"
#include "process/crash.hpp"
#include "process/message.hpp"

namespace gondwana::gasnet::tools {
namespace {

[[noreturn]] void end_program() {
  note_failure();
  gasnett_freezeForDebuggerErr();
  gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  std::abort();
}

// Flushes stdout, so that earlier output appears before the message.
std::array<char, 3072> message_of(const char* format, va_list arguments) {
  std::fflush(stdout);
  std::array<char, 3072> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  return text;
}

}  // namespace

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

void gondwana_gasnett_fatal_error(const char* function, const char* file, int line,
                                  const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gondwana::say("fatal error in %s (%s:%d): %s", function, file, line,
                message_of(format, arguments).data());
  va_end(arguments);
  end_program();
}

void gasnett_fatalerror_nopos(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gondwana::say("fatal error: %s", message_of(format, arguments).data());
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
