// Finds files that this command needs: measuring programs, their sources, the page.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::bench {

// A file of the folder "bench" next to this command, as in a build folder; otherwise of
// `installed`, a path relative to the command's folder.
Result<std::string> find_file(std::string_view name, const char* installed);

}  // namespace gondwana::bench
