// Error messages of commands.
#pragma once

#include <string_view>

namespace gondwana {

// Prints "gondwana ps: host a: ..." on standard error. The message may contain text from outside.
// Returns the exit status for a command that ends with this error.
int complain(std::string_view command, std::string_view sentence);

}  // namespace gondwana
