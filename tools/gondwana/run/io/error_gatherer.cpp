#include "run/io/error_gatherer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "memory/rank_report.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t hold_ns = 150'000'000;

// The text without numbers and addresses, for comparison.
std::string without_numbers(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      result += text[i++];
      continue;
    }
    const bool is_address = text.substr(i).starts_with("0x");
    i += is_address ? 2 : 1;
    while (i < text.size() && (is_address ? std::isxdigit(static_cast<unsigned char>(text[i]))
                                          : std::isdigit(static_cast<unsigned char>(text[i]))) != 0)
      ++i;
    result += '#';
  }
  return result;
}

std::string name(const std::vector<std::uint32_t>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", format_ranks(ranks));
}

}  // namespace

bool ErrorGatherer::take(std::uint32_t rank, std::string_view line, std::uint64_t now_ns) {
  if (!line.ends_with('\n')) return false;
  const std::size_t size = line.size();
  line.remove_suffix(1);
  const bool was_empty = is_empty();
  if (!take_error(rank, line) && !take_more(rank, line)) return false;
  size_ += size;
  if (was_empty) since_ns_ = now_ns;
  return true;
}

bool ErrorGatherer::take_error(std::uint32_t rank, std::string_view line) {
  for (const std::string_view before : {"gondwana: ", "gondwana: warning: "}) {
    const std::string beginning = fmt::format("{}rank {}: ", before, rank);
    if (!line.starts_with(beginning)) continue;
    line.remove_prefix(beginning.size());
    if (line.starts_with(' ')) return take_more(rank, line);
    errors_.push_back({rank, std::string(before), std::string(line)});
    return true;
  }
  return false;
}

bool ErrorGatherer::take_more(std::uint32_t rank, std::string_view line) {
  const auto last = std::ranges::find(errors_.rbegin(), errors_.rend(), rank, &TheError::rank);
  if (!line.starts_with(' ') || last == errors_.rend()) return false;
  last->more += fmt::format("{}\n", line);
  return true;
}

std::optional<std::uint64_t> ErrorGatherer::due_ns() const {
  return is_empty() ? std::nullopt : std::optional(since_ns_ + hold_ns);
}

std::string ErrorGatherer::release() {
  constexpr std::size_t most_alike = 4;  // shown in full even though only numbers differ
  std::ranges::stable_sort(errors_, {}, &TheError::rank);
  std::string lines;
  std::vector<bool> is_told(errors_.size());
  const auto add = [&](std::size_t first, auto&& is_same, bool tells_all) {
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = first; i < errors_.size(); ++i) {
      const bool is_again = !ranks.empty() && ranks.back() == errors_[i].rank;
      if (is_told[i] || is_again || !is_same(errors_[i])) continue;
      is_told[i] = true;
      ranks.push_back(errors_[i].rank);
    }
    const TheError& error = errors_[first];
    lines += tells_all
                 ? fmt::format("{}{}: {}\n{}", error.before, name(ranks), error.text, error.more)
                 : fmt::format("{}{}: the same with other numbers\n", error.before, name(ranks));
  };
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    if (is_told[i]) continue;
    const TheError error = errors_[i];
    const std::string alike = without_numbers(error.text + error.more);
    const auto is_alike = [&](const TheError& other) {
      return other.before == error.before && without_numbers(other.text + other.more) == alike;
    };
    std::set<std::uint32_t> others;
    for (std::size_t j = i; j < errors_.size(); ++j)
      if (!is_told[j] && is_alike(errors_[j]) &&
          errors_[j].text + errors_[j].more != error.text + error.more)
        others.insert(errors_[j].rank);
    add(
        i,
        [&](const TheError& other) {
          return other.before == error.before && other.text == error.text &&
                 other.more == error.more;
        },
        true);
    if (others.size() < most_alike) continue;
    std::size_t next = i;
    while (next < errors_.size() && (is_told[next] || !is_alike(errors_[next]))) ++next;
    if (next < errors_.size()) add(next, is_alike, false);
  }
  errors_.clear();
  size_ = 0;
  return lines;
}

}  // namespace gondwana::launch
