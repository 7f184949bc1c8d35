#include "core/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace gondwana {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string_view without_leading_space(std::string_view text) {
  const std::size_t start = text.find_first_not_of(' ');
  return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

// The power of two that a unit in lower case stands for, or -1.
int unit_shift(std::string_view unit) {
  if (unit.empty() || unit == "b") return 0;
  constexpr std::string_view letters = "kmgt";
  const std::size_t letter = letters.find(unit.front());
  const std::string_view rest = unit.substr(1);
  if (letter == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) return -1;
  return 10 * (static_cast<int>(letter) + 1);
}

// The number of insertions, deletions and changes that turn `b` into `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> last(row.size());
  std::vector<std::size_t> before_last(row.size());
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

constexpr double size_limit = 9.2e18;  // below 2^63, so the end of a range never wraps

Result<std::size_t> checked_size(std::string_view text, double bytes) {
  if (!(bytes < size_limit))
    return Error{Errc::invalid_argument, fmt::format("\"{}\": that is more than 8 EiB", text)};
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Result<std::size_t> parse_size(std::string_view text) {
  const auto malformed = [&] {
    return Error{Errc::invalid_argument,
                 fmt::format("\"{}\": expected a size such as 8192, 8K or 1.5G", text)};
  };
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (failure != std::errc{} || !(number >= 0) || std::signbit(number)) return malformed();
  const std::string_view after = text.substr(static_cast<std::size_t>(rest - text.data()));
  const std::string_view unit = without_leading_space(after);
  const int shift = unit_shift(lower(unit));
  if (shift < 0 || (unit.empty() && !after.empty())) return malformed();
  return checked_size(text, std::ldexp(number, shift));
}

Result<std::size_t> parse_standard_size(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  const std::string multiplier = lower({rest, rest == end ? 0UL : 1UL});
  const int shift = multiplier == "b" ? -1 : unit_shift(multiplier);
  if (failure != std::errc{} || !std::isfinite(number) || std::signbit(number) || shift < 0)
    return Error{Errc::invalid_argument,
                 fmt::format("\"{}\": expected a nonnegative number, optionally followed by k, m, "
                             "g or t, such as 512m or 1.5G",
                             text)};
  return checked_size(text, std::ceil(std::ldexp(number, shift)));
}

Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || rest != end || value < least || value > most) {
    return Error{Errc::invalid_argument,
                 fmt::format("\"{}\": expected a whole number from {} to {}", text, least, most)};
  }
  return value;
}

Result<bool> parse_switch(std::string_view text) {
  const std::string word = lower(text);
  for (const std::string_view yes : {"1", "yes", "on", "true", "y"})
    if (word == yes) return true;
  for (const std::string_view no : {"0", "no", "off", "false", "n", ""})
    if (word == no) return false;
  return Error{Errc::invalid_argument, fmt::format("\"{}\": expected yes or no", text)};
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = name.size() / 3 + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace gondwana
