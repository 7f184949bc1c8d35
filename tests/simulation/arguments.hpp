// The arguments of the simulators: options with a number or a text each.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/parse.hpp"

namespace gondwana::simulation {

using Argument = std::variant<std::uint64_t*, std::optional<std::uint64_t>*, std::string*>;

struct Option {
  std::string_view name;
  Argument value;
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// The sentence that says what is wrong with `text`; an empty one if nothing is.
inline std::string take_value(const Option& option, const std::string& text) {
  return std::visit(
      [&](auto* value) -> std::string {
        if constexpr (std::same_as<decltype(value), std::string*>) {
          *value = text;
        } else {
          const Result<std::uint64_t> number = parse_number(text, option.least, option.most);
          if (!number) return fmt::format("{} {}", option.name, number.error().text);
          *value = *number;
        }
        return {};
      },
      option.value);
}

// The same for all arguments.
inline std::string read_arguments(const std::vector<std::string>& words,
                                  const std::vector<Option>& options) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto option = std::ranges::find(options, words[i], &Option::name);
    if (option == options.end()) return fmt::format("there is no option {}", words[i]);
    if (i + 1 == words.size()) return fmt::format("{} has no value", words[i]);
    if (std::string wrong = take_value(*option, words[i + 1]); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace gondwana::simulation
