#include "bench/installed_file.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace gondwana::bench {

std::string command_path() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).string();
}

Result<std::string> find_file(std::string_view name, const char* installed) {
  const std::filesystem::path here = std::filesystem::path(command_path()).parent_path();
  for (const char* folder : {"bench", installed}) {
    std::error_code failure;
    const std::filesystem::path file = here / folder / name;
    if (std::filesystem::exists(file, failure)) return file.string();
  }
  return Error{Errc::missing,
               fmt::format("its programs are not installed: neither {0}/bench nor {0}/{1} has {2}",
                           here.string(), installed, name)};
}

}  // namespace gondwana::bench
