#include "report/bench/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/print_error.hpp"

namespace gondwana::bench {
namespace {

constexpr std::string_view clear_line = "\r\033[K";

std::string minutes(std::chrono::seconds time) {
  return fmt::format("{}:{:02}", time.count() / 60, time.count() % 60);
}

bool is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

// Estimates the remaining steps from the mean of the steps so far, once a few are done.
std::string Progress::times() const {
  constexpr std::uint32_t min_steps = 3;
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start_);
  const std::uint32_t done = begun_ - 1;
  std::string text = minutes(passed) + " passed";
  if (steps_ == 0 || done < min_steps) return text;
  return fmt::format("{}, about {} left", text, minutes(passed * (steps_ - done) / done));
}

void Progress::begin(std::string_view what, bool first) {
  ++begun_;
  if (is_terminal())
    print_error("{}gondwana bench: {}; {}", clear_line, what, times());
  else if (first)
    print_error("gondwana bench: {}; {}\n", what, times());
  std::fflush(stderr);
}

Progress::~Progress() {
  if (is_terminal() && begun_ > 0) print_error("{}", clear_line);
}

}  // namespace gondwana::bench
