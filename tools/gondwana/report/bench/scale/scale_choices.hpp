// What the words after `gondwana bench scale` ask for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench::scale {

struct ScaleChoices {
  bool help = false;
  std::uint32_t fewest = 2;
  std::uint32_t most = 1'000'000;
  std::uint32_t node_ranks = 64;
  std::uint32_t most_real = 262'144;  // larger jobs are modelled
  Format format = Format::table;

  // Powers of two times the fewest, and the most.
  std::vector<std::uint32_t> sizes() const;
};

Result<ScaleChoices> parse_scale(const std::vector<std::string>& words);
std::string_view scale_help();

}  // namespace gondwana::bench::scale
