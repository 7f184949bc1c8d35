// The progress that `gondwana bench` prints on standard error while it measures several subjects:
// the subject, the rounds, the time passed, and an estimate of the time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gondwana::bench {

class Progress {
 public:
  // A step is one run of a job. 0: steps differ, so no estimate is printed.
  explicit Progress(std::uint32_t steps) : steps_(steps) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // Begins a step. On a terminal its line replaces the previous one; otherwise only the `first`
  // line of a subject is printed.
  void begin(std::string_view what, bool first);

 private:
  using Clock = std::chrono::steady_clock;
  std::string times() const;

  std::uint32_t steps_;
  std::uint32_t begun_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace gondwana::bench
