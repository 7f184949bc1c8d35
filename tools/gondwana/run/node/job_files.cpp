#include "run/node/job_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/program_path.hpp"

namespace gondwana::launch {

Result<void> find_files(Job& job) {
  std::error_code failure;
  for (Program& program : job.programs) {
    if (!program.folder.empty() && !std::filesystem::is_directory(program.folder, failure))
      return Error{Errc::invalid_argument,
                   fmt::format("--wdir {}: there is no such folder", program.folder)};
    Result<std::string> path = find_program(program.words[0], program.folder);
    if (!path) return path.error();
    program.path = *std::move(path);
  }
  if (job.streams.folder.empty() || job.purpose == Purpose::show) return {};
  std::filesystem::create_directories(job.streams.folder, failure);
  if (failure) {
    return Error{Errc::invalid_argument, fmt::format("--output {}: cannot make this folder: {}",
                                                     job.streams.folder, failure.message())};
  }
  return {};
}

}  // namespace gondwana::launch
