// Lists of ranks on command lines: "3", "0,2" or "4-7".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gondwana {

// Each has a first rank and the rank after its last, in order of their begin.
using RankRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Nothing if the text is no list of ranks below `total`.
std::optional<RankRanges> parse_ranks(const std::string& text, std::uint32_t total);

bool contains(const RankRanges& ranks, std::uint32_t rank);

}  // namespace gondwana
