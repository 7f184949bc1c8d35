// The seeds that a simulator runs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "simulation/arguments.hpp"

namespace gondwana::simulation {

// A seed that was not typed as an argument: one that is no number ends the process.
inline std::uint64_t value_or_end(const std::string& name, const std::string& text) {
  std::uint64_t seed = 0;
  const std::string wrong = take_value({name, &seed}, text);
  if (wrong.empty()) return seed;
  fmt::print(stderr, "{}\n", wrong);
  std::exit(2);
}

// The first seed to run after the seeds of the file: --from if it is given, else SIMULATE_FROM,
// else 1. With 1, a test runs the same jobs each time. ./dev simulate sets SIMULATE_FROM to a
// random number.
inline std::uint64_t first_seed(std::optional<std::uint64_t> from) {
  if (from) return *from;
  const char* const set = std::getenv("SIMULATE_FROM");
  return set == nullptr ? 1 : value_or_end("SIMULATE_FROM", set);
}

// A seed a line; the rest of the line says what it found.
inline std::vector<std::uint64_t> seeds_in(const std::string& file) {
  std::vector<std::uint64_t> seeds;
  std::ifstream lines(file);
  if (!file.empty() && !lines) {
    fmt::print(stderr, "{}: cannot be read\n", file);
    std::exit(2);
  }
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#')
      seeds.push_back(value_or_end(file, line.substr(0, line.find(' '))));
  return seeds;
}

}  // namespace gondwana::simulation
