// Reads files that a user or an administrator names. An endless file, or a path that is not a file,
// must not block us.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// True if it is a regular file.
Result<UniqueFd> open_to_read(const std::string& path);

// Reads a regular file of at most `longest` bytes. Returns at once for any path. The error says why
// it cannot be read: "it is a named pipe (FIFO), not a file". Errc::missing: the file does not
// exist. /dev/null is an empty file.
Result<std::string> read_file(const std::string& path, std::size_t longest);

}  // namespace gondwana
