#include "base/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace gondwana {

Result<std::chrono::milliseconds> parse_seconds(std::string_view option, std::string_view word) {
  constexpr double min_s = 0.05;
  constexpr double max_s = 3600;
  double seconds = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  const bool is_number = failure == std::errc{} && end == word.data() + word.size();
  if (is_number && seconds >= min_s && seconds <= max_s)
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return Error{Errc::invalid_argument,
               fmt::format("{} \"{}\": expected seconds, from 0.05 to 3600", option, word)};
}

}  // namespace gondwana
