#include "litmus/outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gondwana::litmus {
namespace {

std::string name_of(const LitmusTest& test, const Observed& observed) {
  if (observed.reg != nothing) return test.registers[static_cast<std::size_t>(observed.reg)].name;
  const Place& place = observed.place;
  const std::string word = place.word == nothing ? "" : fmt::format("[{}]", place.word);
  return fmt::format("{}{}@{}", test.locations[static_cast<std::size_t>(place.location)].name, word,
                     place.rank);
}

bool holds(const Condition& condition, const Outcome& outcome) {
  return std::ranges::all_of(condition.terms, [&](const Term& term) {
    return (outcome[term.observed] == term.value) == term.equal;
  });
}

}  // namespace

std::string to_string(const LitmusTest& test, const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", name_of(test, test.observed[i]),
                        outcome[i] == mixed ? "mixed" : std::to_string(outcome[i]));
  return text;
}

const Condition* condition_of(const LitmusTest& test, const Outcome& outcome) {
  const Condition* found = nullptr;
  for (const Condition& condition : test.conditions)
    if (holds(condition, outcome) && (found == nullptr || !found->is_forbidden)) found = &condition;
  return found;
}

long value_of(const long* words, std::size_t count) {
  const bool is_one =
      std::all_of(words, words + count, [&](long word) { return word == words[0]; });
  return is_one ? words[0] : mixed;
}

const Condition* Outcomes::add(const Outcome& outcome) {
  ++total_;
  ++counts_[outcome];
  const Condition* const condition = condition_of(test_, outcome);
  if (condition == nullptr || !condition->is_forbidden) return nullptr;
  ++forbidden_;
  return condition;
}

std::string Outcomes::table() const {
  constexpr std::size_t max_lines = 12;
  std::vector<std::pair<std::uint64_t, const Outcome*>> lines;
  lines.reserve(counts_.size());
  for (const auto& [outcome, count] : counts_) lines.emplace_back(count, &outcome);
  std::ranges::stable_sort(lines, std::ranges::greater{},
                           &std::pair<std::uint64_t, const Outcome*>::first);
  std::string text = fmt::format("{}: {} times\n", test_.name, total_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Condition* const condition = condition_of(test_, *lines[i].second);
    const bool is_forbidden = condition != nullptr && condition->is_forbidden;
    if (i >= max_lines && !is_forbidden) continue;
    text += fmt::format("  {:>12}  {}{}\n", lines[i].first, to_string(test_, *lines[i].second),
                        is_forbidden ? "  FORBIDDEN" : (condition != nullptr ? "  weak" : ""));
  }
  if (lines.size() > max_lines) text += fmt::format("  {} outcomes in all\n", lines.size());
  return text;
}

}  // namespace gondwana::litmus
