#include "core/control_groups.hpp"

#include <fstream>
#include <vector>

namespace gondwana {
namespace {

// Read once: a process that starts asks for many limits.
const std::vector<std::string>& own_groups() {
  static const std::vector<std::string> lines = [] {
    std::vector<std::string> found;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) found.push_back(line);
    return found;
  }();
  return lines;
}

}  // namespace

std::string own_group(std::string_view controller) {
  for (const std::string& line : own_groups()) {  // number:controller,controller:/group
    const std::size_t list = line.find(':') + 1;
    const std::size_t group = line.find(':', list) + 1;
    if (list == 0 || group == 0) continue;
    const std::string controllers = ',' + line.substr(list, group - 1 - list) + ',';
    if (controllers.find(',' + std::string(controller) + ',') != std::string::npos)
      return line.substr(group);
  }
  return {};
}

}  // namespace gondwana
