// Where the files lie that this command needs: its measuring programs, their sources, its page.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::bench {

// A file of the folder "bench" beside this command, as in a build folder, else of `installed`, a
// path from the folder of the command.
Result<std::string> find_file(std::string_view name, const char* installed);

}  // namespace gondwana::bench
