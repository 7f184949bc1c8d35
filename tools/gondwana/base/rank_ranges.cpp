#include "base/rank_ranges.hpp"

#include <algorithm>

#include "core/parse.hpp"

namespace gondwana {

std::optional<RankRanges> parse_ranks(const std::string& text, std::uint32_t total) {
  RankRanges ranks;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string range = text.substr(at, end - at);
    const std::size_t dash = range.find('-');
    const Result<std::uint64_t> first = parse_number(range.substr(0, dash), 0, total - 1);
    const Result<std::uint64_t> last =
        dash == std::string::npos ? first : parse_number(range.substr(dash + 1), 0, total - 1);
    if (!first || !last || *last < *first) return std::nullopt;
    ranks.emplace_back(*first, *last + 1);
    at = end + 1;
  }
  std::ranges::sort(ranks);
  return ranks;
}

bool contains(const RankRanges& ranks, std::uint32_t rank) {
  return std::ranges::any_of(
      ranks, [&](const auto& range) { return range.first <= rank && rank < range.second; });
}

}  // namespace gondwana
