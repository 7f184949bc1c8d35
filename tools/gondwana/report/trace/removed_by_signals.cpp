#include "report/trace/removed_by_signals.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>

namespace gondwana::trace {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// for the signal handler, which must not allocate
std::array<char, PATH_MAX> name_for_handler{};

void remove_and_end(int signal) {
  ::unlink(name_for_handler.data());
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void set_handlers(void (*handler)(int)) {
  for (const int signal : ending_signals) ::signal(signal, handler);
}

}  // namespace

RemovedBySignals::RemovedBySignals(const std::string& file)
    : is_set_(!file.empty() && file.size() < name_for_handler.size()) {
  if (!is_set_) return;
  name_for_handler = {};
  file.copy(name_for_handler.data(), name_for_handler.size() - 1);
  set_handlers(&remove_and_end);
}

RemovedBySignals::~RemovedBySignals() {
  if (is_set_) set_handlers(SIG_DFL);
}

}  // namespace gondwana::trace
