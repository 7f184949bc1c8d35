// Quotes words for a shell.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// Returns the word, in quotes if it needs them.
std::string quote(std::string_view word);

}  // namespace gondwana
