// What a command has to say to its user, beside its output.
#pragma once

#include <string_view>

namespace gondwana {

// "gondwana ps: host a: ...", on the standard error. The sentence may have text from outside.
void complain(std::string_view command, std::string_view sentence);

}  // namespace gondwana
