#include "base/json_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/printable.hpp"

namespace gondwana {
namespace {

// Includes the control characters that take two bytes.
std::optional<unsigned> control_in(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x20 || first == 0x7f) return first;
  const unsigned second = character.size() == 2 ? static_cast<unsigned char>(character[1]) : 0xff;
  if (first == 0xc2 && second < 0xa0) return second;
  return std::nullopt;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char first = text.front();
    if (length == 0)
      result += "\\ufffd";
    else if (first == '"' || first == '\\')
      (result += '\\') += first;
    else if (const std::optional<unsigned> control = control_in(text.substr(0, length)))
      result += fmt::format("\\u{:04x}", *control);
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

}  // namespace gondwana
