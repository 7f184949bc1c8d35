// A signal to many processes of a job comes several ways and counts once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace gondwana::launch {

class HeardSignals {
 public:
  // by_end: as the reason why another host has ended the job.
  enum class Way : std::size_t { from_launcher, to_us, from_conductor, by_end };

  // False: it has come before, another way.
  bool counts(int signal, Way way) {
    auto& times = heard_[signal];
    const unsigned most = *std::ranges::max_element(times);
    return ++times.at(static_cast<std::size_t>(way)) > most;
  }

 private:
  std::map<int, std::array<unsigned, 4>> heard_;  // how often, by signal and way
};

}  // namespace gondwana::launch
