// The result of a job, as far as a guardian or the conductor knows it.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/exit_status.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

struct Outcome {
  std::optional<int> status;  // the first status that was set
  bool has_lost_launcher = false;
  bool has_lost_output = false;  // output that cannot be written
  bool abandons_output = false;  // the user does not want to wait for output

  // Something has ended with that status.
  void settle(int ended_with) {
    if (!status && ended_with != 0) status = ended_with;
  }
  int of_job() const { return status.value_or(has_lost_output ? exit_failure : 0); }

  // Returns the message for the user. It is empty if the job ends silently because nobody reads its
  // output (| head), as with mpirun. Returns nothing if the loss is known already.
  std::optional<std::string> lose_output(int reason) {
    if (std::exchange(has_lost_output, true)) return std::nullopt;
    if (reason == EPIPE) return "";
    return fmt::format("cannot write to the standard output: {}; the output of the ranks is lost",
                       std::strerror(reason));
  }
};

// The time at which --timeout ends a job that starts now.
inline std::optional<std::uint64_t> end_of_time(const Job& job, std::uint64_t now) {
  if (!job.timeout) return std::nullopt;
  return now + static_cast<std::uint64_t>(std::chrono::nanoseconds(*job.timeout).count());
}

inline std::string describe_timeout(const Job& job, std::uint32_t ranks) {
  return fmt::format("the job runs longer than --timeout {} s; its {} ranks are ended",
                     static_cast<double>(job.timeout->count()) / 1000, ranks);
}

}  // namespace gondwana::launch
