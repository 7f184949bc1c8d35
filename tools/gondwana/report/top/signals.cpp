#include "report/top/signals.hpp"

#include <algorithm>
#include <ctime>

namespace gondwana::top {
namespace {

bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(std::initializer_list<int> numbers) {
  ::sigemptyset(&taken_);
  for (const int number : numbers)
    if (!is_ignored(number)) ::sigaddset(&taken_, number);
  ::pthread_sigmask(SIG_BLOCK, &taken_, &before_);
}

Signals::~Signals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Signals::take() const {
  constexpr timespec no_time{};
  return std::max(0, ::sigtimedwait(&taken_, nullptr, &no_time));
}

void take_default_action(int signal) {
  sigset_t one;
  sigset_t before;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, &before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace gondwana::top
