#include "front/gasnet/tools/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "front/gasnet/tools/environment.hpp"
#include "gasnet_tools.h"
#include "process/freeze.hpp"
#include "process/message.hpp"
#include "process/process.hpp"
#include "process/signal_names.hpp"
#include "process/stack.hpp"

namespace gondwana::gasnet::tools {
namespace {

void print_backtrace_and_continue(int /*number*/) {
  const int saved = errno;
  gasnett_print_backtrace(STDERR_FILENO);
  errno = saved;
}

void freeze_and_continue(int /*number*/) {
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

bool is_handled(int number) {
  struct sigaction present{};
  return sigaction(number, nullptr, &present) == 0 && present.sa_handler != SIG_DFL &&
         present.sa_handler != SIG_IGN;
}

// The client may have removed its SIGQUIT handler by now.
void quit_instead(int number) {
  if (this_process().leaves_job) return;
  const int saved = errno;
  signal(number, SIG_DFL);
  raise(is_handled(SIGQUIT) ? SIGQUIT : number);
  errno = saved;
}

void catch_signal_of(VariableId id, void (*handler)(int)) {
  report(id);
  const Setting setting = own_setting(id);
  if (setting.value == "none") return;
  const std::optional<int> number = signal_number(setting.value);
  if (!number)
    gasnett_fatalerror_nopos("%s \"%s\": expected a signal such as SIGUSR1", variable(id).name,
                             std::string(setting.value).c_str());
  gondwana::prepare_stack();
  install(*number, handler, SA_RESTART);
}

}  // namespace

void catch_debug_signals() {
  catch_signal_of(VariableId::gasnet_backtrace_signal, &print_backtrace_and_continue);
  catch_signal_of(VariableId::gasnet_freeze_signal, &freeze_and_continue);
}

void turn_ends_into_quit() {
  if (!is_handled(SIGQUIT)) return;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction present{};
    const bool is_default =
        sigaction(number, nullptr, &present) == 0 && present.sa_handler == SIG_DFL;
    if (is_default) install(number, &quit_instead, 0);
  }
}

void quit() {
  if (is_handled(SIGQUIT)) raise(SIGQUIT);
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

gasnett_sighandlerfn_t gasnett_reghandler(int signal_number, gasnett_sighandlerfn_t handler) {
  const gasnett_sighandlerfn_t before = signal(signal_number, handler);
  if (before == SIG_ERR)
    gasnett_fatalerror_nopos("gasnett_reghandler: %s (%d) has no handler: %s",
                             gondwana::signal_name(signal_number), signal_number,
                             std::strerror(errno));
  if (signal_number == SIGQUIT) turn_ends_into_quit();
  return before;
}
