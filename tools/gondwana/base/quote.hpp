// Words as a shell takes them.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// The word, in quotes where it needs some.
std::string quote(std::string_view word);

}  // namespace gondwana
