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

std::vector<std::uint32_t> ErrorGatherer::take_ranks(FunctionRef<bool(const TheError&)> is_wanted) {
  std::vector<std::uint32_t> ranks;
  std::erase_if(errors_, [&](const TheError& error) {
    if ((!ranks.empty() && ranks.back() == error.rank) || !is_wanted(error)) return false;
    ranks.push_back(error.rank);
    return true;
  });
  return ranks;
}

std::string ErrorGatherer::release() {
  constexpr std::size_t max_alike = 4;  // shown in full even though only numbers differ
  std::ranges::stable_sort(errors_, {}, &TheError::rank);
  std::string lines;
  while (!errors_.empty()) {
    const TheError error = errors_.front();
    const auto is_same = [&](const TheError& other) {
      return other.before == error.before && other.text == error.text && other.more == error.more;
    };
    const auto is_alike = [&, alike = without_numbers(error.text + error.more)](const auto& other) {
      return other.before == error.before && without_numbers(other.text + other.more) == alike;
    };
    std::set<std::uint32_t> others;
    for (const TheError& other : errors_)
      if (is_alike(other) && !is_same(other)) others.insert(other.rank);
    lines += fmt::format("{}{}: {}\n{}", error.before, name(take_ranks(is_same)), error.text,
                         error.more);
    if (others.size() >= max_alike)
      lines += fmt::format("{}{}: the same with other numbers\n", error.before,
                           name(take_ranks(is_alike)));
  }
  size_ = 0;
  return lines;
}

}  // namespace gondwana::launch
