#include "core/signals.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

void (*action_of(int signal))(int) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

TEST(Signals, do_afterwards_what_they_did_before_others_changed_that) {
  std::signal(SIGUSR1, SIG_IGN);
  {
    const SignalActionsKept kept;
    for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM}) std::signal(signal, [](int) {});
  }
  EXPECT_EQ(action_of(SIGUSR1), SIG_IGN);
  EXPECT_EQ(action_of(SIGUSR2), SIG_DFL);
  EXPECT_EQ(action_of(SIGTERM), SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace gondwana
