#include "front/gasnet/tools/signals.hpp"

#include <signal.h>
#include <strings.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "core/gasnet_variables.hpp"
#include "front/gasnet/tools/failure.hpp"
#include "front/gasnet/tools/freeze.hpp"
#include "front/gasnet/tools/message.hpp"
#include "gasnet_tools.h"

namespace gondwana::gasnet::tools {
namespace {

struct Named {
  int number;
  const char* name;
};
constexpr std::array signals{
    Named{SIGHUP, "SIGHUP"},       Named{SIGINT, "SIGINT"},   Named{SIGQUIT, "SIGQUIT"},
    Named{SIGILL, "SIGILL"},       Named{SIGTRAP, "SIGTRAP"}, Named{SIGABRT, "SIGABRT"},
    Named{SIGBUS, "SIGBUS"},       Named{SIGFPE, "SIGFPE"},   Named{SIGUSR1, "SIGUSR1"},
    Named{SIGSEGV, "SIGSEGV"},     Named{SIGUSR2, "SIGUSR2"}, Named{SIGPIPE, "SIGPIPE"},
    Named{SIGALRM, "SIGALRM"},     Named{SIGTERM, "SIGTERM"}, Named{SIGCHLD, "SIGCHLD"},
    Named{SIGCONT, "SIGCONT"},     Named{SIGTSTP, "SIGTSTP"}, Named{SIGTTIN, "SIGTTIN"},
    Named{SIGTTOU, "SIGTTOU"},     Named{SIGURG, "SIGURG"},   Named{SIGXCPU, "SIGXCPU"},
    Named{SIGXFSZ, "SIGXFSZ"},     Named{SIGPROF, "SIGPROF"}, Named{SIGWINCH, "SIGWINCH"},
    Named{SIGVTALRM, "SIGVTALRM"}, Named{SIGIO, "SIGIO"},     Named{SIGSYS, "SIGSYS"}};

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

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

// Runs once for each signal: the kernel has put back what the signal does by default.
void say_crash(int number) {
  if (!is_failing()) {
    say("%s", signal_name(number));
    gasnett_freezeForDebuggerErr();
    gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  }
  raise(number);
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
  install(*number, handler, SA_RESTART);
}

}  // namespace

std::optional<int> signal_number(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size() && number > 0 && number < NSIG)
    return number;
  const std::string word(name);
  for (const Named& signal : signals)
    if (strcasecmp(word.c_str(), signal.name) == 0 ||
        strcasecmp(word.c_str(), signal.name + std::strlen("SIG")) == 0)
      return signal.number;
  return std::nullopt;
}

const char* signal_name(int number) {
  for (const Named& signal : signals)
    if (signal.number == number) return signal.name;
  return "a signal";
}

void catch_debug_signals() {
  catch_signal_of(backtrace_signal_setting.name, &print_backtrace_and_go_on);
  catch_signal_of(freeze_signal_setting.name, &freeze_and_go_on);
}

void catch_crashes() {
  for (const int number : crashes) {
    struct sigaction current{};
    sigaction(number, nullptr, &current);
    if (current.sa_handler == SIG_DFL)
      install(number, &say_crash, static_cast<int>(SA_RESETHAND | SA_NODEFER));
  }
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

gasnett_sighandlerfn_t gasnett_reghandler(int signal_number, gasnett_sighandlerfn_t handler) {
  const gasnett_sighandlerfn_t before = signal(signal_number, handler);
  if (before == SIG_ERR)
    gasnett_fatalerror_nopos("gasnett_reghandler: %s (%d) has no handler: %s",
                             signal_name(signal_number), signal_number, std::strerror(errno));
  return before;
}
