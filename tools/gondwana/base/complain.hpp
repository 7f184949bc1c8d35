// Error messages of commands.
#pragma once

#include <string_view>

namespace gondwana {

// Prints "gondwana ps: host a: ..." on standard error. The message may contain text from outside.
void complain(std::string_view command, std::string_view sentence);

}  // namespace gondwana
