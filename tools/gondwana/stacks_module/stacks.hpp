// What the stacks module gives to `gondwana why`. One build makes both, so C++ types may cross.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::why {

struct Frame {
  std::string function;  // as in the source, or empty
  std::string file;      // of the source, or empty
  int line = 0;
  std::string module;       // the program or library
  bool is_program = false;  // not in a library
  std::uint64_t address = 0;
};

inline constexpr const char* stack_symbol = "gondwana_stacks_of";

// The innermost frame first, of the first thread of the process, which is held meanwhile: some
// milliseconds, longer where debugging information is read.
using FindStack = void (*)(pid_t process, Result<std::vector<Frame>>* stack);

}  // namespace gondwana::why
