#include "own_files.hpp"

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

}  // namespace gondwana
