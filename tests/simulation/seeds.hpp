// The seeds that a simulator runs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "simulation/arguments.hpp"

namespace gondwana::simulation {

// The first of the new seeds: that of --from, or of SIMULATE_FROM, which repeats a run of CTest, or
// another one each time.
inline std::uint64_t first_seed(std::optional<std::uint64_t> from) {
  if (from) return *from;
  const char* const set = std::getenv("SIMULATE_FROM");
  if (set != nullptr && is_number(set)) return std::stoull(set);
  return std::random_device()();
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
    if (!line.empty() && line[0] != '#') seeds.push_back(std::stoull(line));
  return seeds;
}

}  // namespace gondwana::simulation
