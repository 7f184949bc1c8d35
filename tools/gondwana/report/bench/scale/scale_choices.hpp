// Parses the arguments of `gondwana bench scale`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench::scale {

struct ScaleChoices {
  std::string help;  // the text to print instead; empty: measure
  std::uint32_t fewest = 2;
  std::uint32_t most = 1'000'000;
  std::uint32_t node_ranks = 64;
  std::uint32_t max_real_ranks = 262'144;  // larger jobs are modelled
  Format format = Format::table;

  // The minimum times powers of two, and the maximum.
  std::vector<std::uint32_t> sizes() const;
};

Result<ScaleChoices> parse_scale(const std::vector<std::string>& words);

}  // namespace gondwana::bench::scale
