// What `gondwana bench` says on the standard error while it measures several subjects: which one,
// which rounds, the time passed, and about how much is left if all steps are alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gondwana::bench {

class Progress {
 public:
  // A step is a job that is run. 0: they are not alike, and so it is not said how much is left.
  explicit Progress(std::uint32_t steps) : steps_(steps) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // A step begins. On a terminal its line replaces the one before; elsewhere only a line that is
  // `first` of a subject is printed.
  void begin(std::string_view what, bool first);

 private:
  using Clock = std::chrono::steady_clock;
  std::string times() const;

  std::uint32_t steps_;
  std::uint32_t begun_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace gondwana::bench
