#include "process/signal_names.hpp"

#include <signal.h>
#include <strings.h>

#include <array>
#include <charconv>
#include <cstring>
#include <string>

namespace gondwana {
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

}  // namespace gondwana
