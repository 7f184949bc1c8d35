// Text in JSON.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// With quotation marks. Bytes that are no text in UTF-8 become the sign for that.
std::string json_text(std::string_view text);

// "[1, 2]": each item as `write` has it.
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
