// Text in JSON.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// Adds quotation marks. Bytes that are not valid UTF-8 become U+FFFD.
std::string json_text(std::string_view text);

// Writes a list such as "[1, 2]"; `write` formats each item.
template <typename Items, typename Write>
std::string json_list(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += write(item);
  }
  return "[" + text + "]";
}

}  // namespace gondwana
