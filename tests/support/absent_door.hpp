// For test programs that use the front door of OpenSHMEM without the door of a process: a call that
// cannot go on calls fail_call(), which the program defines.
#pragma once

#include <string>

namespace gondwana::test {

[[noreturn]] void fail_call(const std::string& sentence);

}  // namespace gondwana::test
