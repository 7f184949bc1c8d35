// The control groups of this process.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// The group of this process as /proc/self/cgroup showed it first, of version 2 or of a controller
// of version 1. "" if there is none.
std::string own_group(std::string_view controller);

// Version 2 has one tree. Version 1 has a tree for each controller, with the controller's name.
// Calls `visit` with the folder of our group below `root`, and with each folder above it. The
// smallest limit applies.
template <typename Visitor>
void for_each_group(const std::string& root, std::string_view controller, Visitor visit) {
  const std::string group = own_group(controller);
  for (std::string folder = root + group; !group.empty() && folder.size() >= root.size();
       folder.resize(folder.rfind('/')))
    visit(folder);
}

}  // namespace gondwana
