#include "base/circumstances.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/process_stat.hpp"

namespace gondwana {
namespace {

bool is_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return false;
}

}  // namespace

std::vector<std::string> Circumstances::words() const {
  return {command, fmt::format("{:.2f}", load)};
}

Circumstances present_circumstances() {
  Circumstances result{.command = command_line_of(::getpid())};
  if (::getloadavg(&result.load, 1) != 1) result.load = 0;
  return result;
}

std::string python_warning() {
  if (is_in_path("python3")) return {};
  return "python3, which draws the page, is not in PATH; only the data will be written";
}

}  // namespace gondwana
