// Starts a program that is not a rank, such as ssh.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana {

// Looks in PATH. Descriptors 0, 1 and 2 are those of `standard`, and signals have their default
// actions. The process gets its own process group, so Ctrl-C reaches it only through the launcher.
Result<pid_t> spawn_process(const std::vector<std::string>& words,
                            const std::array<int, 3>& standard);

}  // namespace gondwana
