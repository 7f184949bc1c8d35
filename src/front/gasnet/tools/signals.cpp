#include "front/gasnet/tools/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/gasnet_variables.hpp"
#include "gasnet_tools.h"
#include "process/freeze.hpp"
#include "process/message.hpp"
#include "process/signal_names.hpp"
#include "process/stack.hpp"

namespace gondwana::gasnet::tools {
namespace {

void print_backtrace_and_go_on(int /*number*/) {
  const int saved = errno;
  gasnett_print_backtrace(STDERR_FILENO);
  errno = saved;
}

void freeze_and_go_on(int /*number*/) {
  const int saved = errno;
  freeze();
  errno = saved;
}

void install(int number, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, &action, nullptr) != 0)
    say("%s has no handler: %s", signal_name(number), std::strerror(errno));
}

void catch_signal_of(const char* variable, void (*handler)(int)) {
  const char* name = gasnett_getenv_withdefault(variable, "");
  if (*name == '\0') return;
  const std::optional<int> number = signal_number(name);
  if (!number)
    gasnett_fatalerror_nopos("%s \"%s\": expected a signal such as SIGUSR1", variable, name);
  gondwana::prepare_stack();
  install(*number, handler, SA_RESTART);
}

}  // namespace

void catch_debug_signals() {
  catch_signal_of(backtrace_signal_setting.name, &print_backtrace_and_go_on);
  catch_signal_of(freeze_signal_setting.name, &freeze_and_go_on);
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

gasnett_sighandlerfn_t gasnett_reghandler(int signal_number, gasnett_sighandlerfn_t handler) {
  const gasnett_sighandlerfn_t before = signal(signal_number, handler);
  if (before == SIG_ERR)
    gasnett_fatalerror_nopos("gasnett_reghandler: %s (%d) has no handler: %s",
                             gondwana::signal_name(signal_number), signal_number,
                             std::strerror(errno));
  return before;
}
