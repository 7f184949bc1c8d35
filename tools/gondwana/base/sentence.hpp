// Messages for users. Each form is written whole, so that users can search the source for the
// message they see.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gondwana {

// A message with a singular and a plural form: `one` and `many` take the same arguments, in the
// same order.
template <typename... Arguments>
struct Sentence {
  fmt::format_string<const Arguments&...> one;
  fmt::format_string<const Arguments&...> many;

  std::string operator()(std::uint64_t count, const Arguments&... arguments) const {
    return fmt::format(count == 1 ? one : many, arguments...);
  }
};

// A message with one form.
template <typename... Arguments>
struct Statement {
  fmt::format_string<const Arguments&...> text;

  std::string operator()(const Arguments&... arguments) const {
    return fmt::format(text, arguments...);
  }
};

// "1 rank", "3 ranks"
inline std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace gondwana
