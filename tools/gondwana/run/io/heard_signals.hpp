// Counts a signal once that reaches a process of the job several ways.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace gondwana::launch {

class HeardSignals {
 public:
  // by_end: as the reason given by another host for ending the job.
  enum class Way : std::size_t { from_launcher, to_us, from_conductor, by_end };

  // Returns false if the signal has already arrived another way.
  bool counts(int signal, Way way) {
    auto& times = heard_[signal];
    const unsigned most = *std::ranges::max_element(times);
    return ++times.at(static_cast<std::size_t>(way)) > most;
  }

 private:
  std::map<int, std::array<unsigned, 4>> heard_;  // number of arrivals, by signal and way
};

}  // namespace gondwana::launch
