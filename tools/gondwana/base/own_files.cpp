#include "base/own_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

namespace gondwana {

std::filesystem::path own_path() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure);
}

std::optional<std::filesystem::path> find_own_file(std::string_view name,
                                                   std::initializer_list<const char*> folders) {
  const std::filesystem::path here = own_path().parent_path();
  for (const char* folder : folders) {
    std::error_code failure;
    const std::filesystem::path file = (here / folder / name).lexically_normal();
    if (std::filesystem::exists(file, failure)) return file;
  }
  return std::nullopt;
}

Result<std::string> find_agent() {
  const auto file = find_own_file("gondwana-agent", {".", GONDWANA_MODULES});
  if (file && ::access(file->c_str(), X_OK) == 0) return file->string();
  return Error{Errc::missing,
               fmt::format("a job on several hosts needs gondwana-agent, which is neither next to "
                           "{} nor in {}; install all of Gondwana on this host",
                           own_path().string(), GONDWANA_MODULES)};
}

}  // namespace gondwana
