// Files that a user or an administrator names, to be read: one that never ends, or that is none,
// must not keep us.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// A regular file that is there.
Result<UniqueFd> open_to_read(const std::string& path);

// All of a regular file that is no longer than `longest`. Returns at once whatever the path names,
// and why it cannot be read: "it is a named pipe (FIFO), not a file". Errc::missing: there is none.
// /dev/null is an empty file.
Result<std::string> read_file(const std::string& path, std::size_t longest);

}  // namespace gondwana
