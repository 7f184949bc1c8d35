// The command line of ranks that a rank asks its launcher to start. A message carries it in a file,
// because it may have any length.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

struct SpawnCommand {
  std::string folder;              // the working folder
  std::vector<std::string> words;  // name and arguments; empty: as the rank that asks
  std::string hosts = {};          // a list as --hosts takes; empty: the hosts of the job
};

// A file in memory with a text of any length.
Result<UniqueFd> file_with(const std::string& text);
// The text of a file that file_with() has made. An error if it is longer than `most` bytes.
Result<std::string> text_of(const UniqueFd& file, std::size_t most);

// No word contains a zero.
std::string write_command(const SpawnCommand& command);
Result<SpawnCommand> read_command(const std::string& text);

inline constexpr std::size_t longest_command = std::size_t{1} << 20;

}  // namespace gondwana
