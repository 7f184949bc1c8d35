// Starts a program that is no rank, such as ssh.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana {

// Found in PATH, with `standard` as descriptors 0, 1 and 2, and with all signals as they are in a
// fresh process. It is in a process group of its own: the launcher passes on what is typed.
Result<pid_t> spawn_process(const std::vector<std::string>& words,
                            const std::array<int, 3>& standard);

}  // namespace gondwana
