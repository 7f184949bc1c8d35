#include "core/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace gondwana {
namespace {

using enum Algorithm;

constexpr std::array barriers{automatic, linear, tree, dissemination, levels};
constexpr std::array broadcasts{automatic, linear, tree, levels};
constexpr std::array reductions{automatic, linear, ring, tree, recursive_doubling, levels};
constexpr std::array gathers{automatic, linear, ring, recursive_doubling};
constexpr std::array equal_gathers{automatic, linear, ring, recursive_doubling, levels};
constexpr std::array exchanges{automatic, linear};
constexpr std::array scans{automatic, linear, recursive_doubling};

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, 7> names{"auto",   "linear", "ring",  "tree",
                                                  "recdbl", "dissem", "levels"};
  return names.at(static_cast<std::size_t>(algorithm));
}

std::span<const Algorithm> algorithms_for(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return barriers;
    case Collective::broadcast:
      return broadcasts;
    case Collective::reduce:
      return reductions;
    case Collective::collect:
      return gathers;
    case Collective::fcollect:
      return equal_gathers;
    case Collective::alltoall:
      return exchanges;
    case Collective::scan:
      return scans;
  }
  __builtin_unreachable();
}

Result<Algorithm> parse_algorithm(Collective collective, std::string_view text) {
  const std::span<const Algorithm> allowed = algorithms_for(collective);
  const auto found = std::ranges::find(allowed, text, name_of);
  if (found != allowed.end()) return *found;
  std::string expected;
  for (const Algorithm algorithm : allowed.first(allowed.size() - 1)) {
    if (!expected.empty()) expected += ", ";
    expected += name_of(algorithm);
  }
  return Error{Errc::invalid_argument,
               fmt::format("\"{}\": expected {} or {}", text, expected, name_of(allowed.back()))};
}

}  // namespace gondwana
