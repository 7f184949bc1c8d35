// The control groups of this process.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// The group of this process as /proc/self/cgroup has it, or "" where there is none: of version 2,
// or of a controller of version 1.
std::string own_group(std::string_view controller);

// Version 2 has one tree, version 1 one for each controller, under its name. Calls `visit` with the
// folder of our group below `root` and of each one above it: the tightest limit holds.
template <typename Visitor>
void for_each_group(const std::string& root, std::string_view controller, Visitor visit) {
  const std::string group = own_group(controller);
  for (std::string folder = root + group; !group.empty() && folder.size() >= root.size();
       folder.resize(folder.rfind('/')))
    visit(folder);
}

}  // namespace gondwana
