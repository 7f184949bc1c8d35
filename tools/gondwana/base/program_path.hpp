// Which file a program's name means, found before anything is started.
#pragma once

#include <string>

#include "core/result.hpp"

namespace gondwana {

// As execvp(3) would find `name` from within `folder` (empty: here). The error is Errc::missing
// where there is no such file and Errc::refused where it cannot be run; it says what may have been
// meant.
Result<std::string> find_program(const std::string& name, const std::string& folder);

}  // namespace gondwana
