#include "json_text.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace gondwana {
namespace {

// How many bytes at the start of `text` are a character in UTF-8, as RFC 3629 has it; 0: none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) > 0x9f;
  const bool too_large = first == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
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
    else if (static_cast<unsigned char>(first) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(first));
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

}  // namespace gondwana
