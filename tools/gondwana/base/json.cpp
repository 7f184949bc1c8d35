#include "base/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace gondwana {
namespace {

constexpr std::size_t most_depth = 2;  // depth of values that are broken into lines

bool has_lines(const Json& value, std::size_t depth) {
  if (!value.is_structured() || value.empty() || depth == most_depth) return false;
  return depth == 0 || std::any_of(value.begin(), value.end(),
                                   [](const Json& item) { return item.is_structured(); });
}

std::string lines_of(const Json& value, std::size_t depth) {
  if (!has_lines(value, depth)) return to_line(value);
  std::string text(1, value.is_object() ? '{' : '[');
  for (const auto& [name, item] : value.items()) {
    text += (text.size() == 1 ? "\n" : ",\n") + std::string(2 * depth + 2, ' ');
    if (value.is_object()) text += to_line(name) + ": ";
    text += lines_of(item, depth + 1);
  }
  return text + "\n" + std::string(2 * depth, ' ') + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string to_text(const Json& value) {
  return lines_of(value, 0) + "\n";
}

double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

}  // namespace gondwana
