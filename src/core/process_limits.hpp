// How many processes this machine lets us start.
#pragma once

#include <cstdint>
#include <string>

namespace gondwana {

struct ProcessLimit {
  std::uint64_t left = 0;  // that many more at most; fewer where others start some as well
  std::string name;        // of what sets it, for sentences
};

// The tightest limit, as far as it can be known: of the user, of the control groups, of the kernel.
ProcessLimit process_limit();

}  // namespace gondwana
