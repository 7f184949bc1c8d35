#include "base/quote.hpp"

#include <algorithm>
#include <cctype>

namespace gondwana {
namespace {

bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("_-+=./:,@%").find(letter) != std::string_view::npos;
}

}  // namespace

std::string quote(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted + "'";
}

}  // namespace gondwana
