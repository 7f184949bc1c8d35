#include "simulation/engine/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "simulation/engine/children.hpp"

namespace gondwana::simulation {

Runs::Runs(std::string name, Draw draw)
    : name_(std::move(name)), draw_(std::move(draw)), progress_(shared<Progress>()) {}

std::optional<std::uint64_t> Runs::run(std::span<const std::uint64_t> seeds) {
  progress_.done = 0;
  while (progress_.done < seeds.size()) {
    const std::size_t count = std::min<std::size_t>(jobs_of_child, seeds.size() - progress_.done);
    const auto run = [&] {
      for (const std::uint64_t seed : seeds.subspan(progress_.done, count))
        if (run_one(seed) == Left::memory) return;
    };
    if (!returns_in_child(run, Output::shown)) return seeds[progress_.done];
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Runs::run_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), first);
  return run(seeds);
}

std::optional<std::uint64_t> Runs::run_for(std::uint64_t first, std::uint64_t minutes) {
  for (; seconds() < 60.0 * static_cast<double>(minutes); first += jobs_of_child)
    if (const auto failed = run_from(first, jobs_of_child)) return failed;
  return std::nullopt;
}

void Runs::tell() const {
  const double virtual_s = static_cast<double>(progress_.all.time) * 1e-9;
  fmt::print(
      "{}: {} jobs, {} with a loss; {} steps, {} messages, {:.3f} s of virtual time in {:.1f} s: "
      "{:.0f} virtual seconds a second; history {:016x}\n",
      name_, progress_.jobs, progress_.losses, progress_.all.steps, progress_.all.messages,
      virtual_s, seconds(), virtual_s / seconds(), progress_.all.history);
}

Runs::Left Runs::run_one(std::uint64_t seed) {
  name_seed(seed);
  const JobPlan plan = draw_(seed);
  const JobReport one = run_job(plan, false);
  JobReport& all = progress_.all;
  all.time += one.time;
  all.steps += one.steps;
  all.messages += one.messages;
  all.history ^= one.history;
  progress_.losses += plan.program.loss ? 1 : 0;
  ++progress_.jobs;
  ++progress_.done;
  return plan.program.loss ? Left::memory : Left::nothing;
}

}  // namespace gondwana::simulation
