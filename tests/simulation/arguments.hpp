// The arguments of the simulators: options with a number or a text each.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gondwana::simulation {

using Argument = std::variant<std::uint64_t*, std::optional<std::uint64_t>*, std::string*>;

struct Option {
  std::string_view name;
  Argument value;
};

inline bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// False: `text` is not a value of that option.
inline bool take_value(const Option& option, const std::string& text) {
  return std::visit(
      [&text](auto* value) {
        if constexpr (std::same_as<decltype(value), std::string*>) {
          *value = text;
        } else {
          if (!is_number(text)) return false;
          *value = std::stoull(text);
        }
        return true;
      },
      option.value);
}

// False: an unknown option, or one without its value.
inline bool read_arguments(const std::vector<std::string>& words,
                           const std::vector<Option>& options) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return false;
    bool is_known = false;
    for (const Option& option : options)
      if (option.name == words[i]) is_known = take_value(option, words[i + 1]);
    if (!is_known) return false;
  }
  return true;
}

}  // namespace gondwana::simulation
