#include "core/control_groups.hpp"

#include <fstream>

namespace gondwana {

std::string own_group(std::string_view controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // number:controller,controller:/group
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
