#include "base/program_path.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/parse.hpp"

namespace gondwana {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool can_run(const fs::path& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> search_path() {
  const char* text = std::getenv("PATH");
  std::string_view rest = text != nullptr ? text : "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> folders;
  for (;;) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    folders.emplace_back(folder.empty() ? "." : folder);
    if (colon == std::string_view::npos) return folders;
    rest.remove_prefix(colon + 1);
  }
}

// The program in `folders` whose spelling is closest to `name`.
std::string similar_program(const std::string& name, const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
      if (can_run(entry.path())) names.push_back(entry.path().filename());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return std::string(nearest(name, candidates));
}

Result<std::string> check(const std::string& name, const fs::path& path) {
  std::error_code ignored;
  if (can_run(path)) return path.string();
  if (fs::is_directory(path, ignored))
    return Error{Errc::refused, fmt::format("cannot run {}: it is a folder", name)};
  if (is_file(path)) {
    return Error{Errc::refused,
                 fmt::format("cannot run {}: it is not executable; chmod +x {}", name, name)};
  }
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const std::string similar = similar_program(path.filename(), {folder});
  const std::string advice =
      similar.empty()
          ? ""
          : fmt::format("; did you mean {}?", (fs::path(name).parent_path() / similar).string());
  return Error{Errc::missing, fmt::format("there is no program {}{}", name, advice)};
}

Error not_in_path(const std::string& name, const fs::path& folder) {
  std::string advice;
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    advice = fmt::format("; for {} ranks write -n {}", name, name);
  } else if (is_file(folder / name)) {
    advice = fmt::format("; for the one in this folder write ./{}", name);
  } else if (const std::string similar = similar_program(name, search_path()); !similar.empty()) {
    advice = fmt::format("; did you mean {}?", similar);
  }
  return {Errc::missing, fmt::format("there is no program {} in PATH{}", name, advice)};
}

}  // namespace

Result<std::string> find_program(const std::string& name, const std::string& folder) {
  const fs::path here = folder.empty() ? "." : folder;
  if (name.find('/') != std::string::npos) {
    Result<std::string> found = check(name, here / name);
    // The rank changes to `folder` before it runs the program, so a relative name stays relative.
    if (found) return name;
    return found;
  }
  std::string not_executable;
  for (const std::string& place : search_path()) {
    const fs::path path = fs::path(place) / name;
    if (can_run(here / path)) return path.string();
    if (is_file(here / path)) not_executable = path.string();
  }
  if (!not_executable.empty()) return check(not_executable, here / not_executable);
  return not_in_path(name, here);
}

}  // namespace gondwana
