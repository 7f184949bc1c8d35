// Runs jobs with the real engine by seeds, in children, until one fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "simulation/engine/job.hpp"

namespace gondwana::simulation {

// Forking takes longer than a short job.
inline constexpr std::uint64_t jobs_of_child = 40;

class Runs {
 public:
  static constexpr std::uint64_t most_seeds = 10000000;

  using Draw = std::function<JobPlan(std::uint64_t seed)>;

  // `name`: begins what it prints.
  Runs(std::string name, Draw draw);

  // Each returns the seed that fails; none if all jobs are right.
  std::optional<std::uint64_t> run(std::span<const std::uint64_t> seeds);
  std::optional<std::uint64_t> run_from(std::uint64_t first, std::uint64_t count);
  std::optional<std::uint64_t> run_for(std::uint64_t first, std::uint64_t minutes);

  void tell() const;

 private:
  using Clock = std::chrono::steady_clock;

  // What the children have done.
  struct Progress {
    std::uint64_t done;  // of the seeds of one call
    std::uint64_t jobs;
    std::uint64_t losses;  // jobs in which a process dies
    JobReport all;
  };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  // A process that dies leaves its descriptors, its mappings and all on its stack to the child. So
  // the child ends after the job.
  enum class Left : std::uint8_t { nothing, memory };
  Left run_one(std::uint64_t seed);

  std::string name_;
  Draw draw_;
  Progress& progress_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace gondwana::simulation
