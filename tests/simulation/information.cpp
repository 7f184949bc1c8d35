#include "simulation/information.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gondwana::simulation {

bool Information::is_one(const std::string& sentence) {
  constexpr std::array<std::string_view, 3> beginnings{
      "the sweeper of the job", "processes that cannot be killed", "cannot write to"};
  const auto begins = [&](std::string_view beginning) { return sentence.starts_with(beginning); };
  const bool is_absence =
      begins("rank") && sentence.find("ended without a call of") != std::string::npos;
  return is_absence || std::ranges::any_of(beginnings, begins);
}

std::optional<std::string> Information::tell(const std::string& sentence) {
  for (auto& [begins, fact] : facts_) {
    if (!sentence.starts_with(begins)) continue;
    if (fact.told++ < fact.happened) return std::nullopt;
    return fmt::format("\"{}\" is told once more than it has happened", sentence);
  }
  return fmt::format("\"{}\" is told, and has not happened", sentence);
}

std::optional<std::string> Information::demand(const std::string& begins) const {
  const Fact& fact = facts_.at(begins);
  if (fact.told == fact.happened) return std::nullopt;
  return fmt::format("\"{}\" has happened, and is not told", begins);
}

}  // namespace gondwana::simulation
