// Resolves a program's name to a file before anything is started.
#pragma once

#include <string>

#include "core/result.hpp"

namespace gondwana {

// Finds `name` as execvp(3) would in `folder` (empty: the current folder). The error is
// Errc::missing if there is no file with this name, and Errc::refused if it cannot be run. Its text
// suggests similar names.
Result<std::string> find_program(const std::string& name, const std::string& folder);

}  // namespace gondwana
