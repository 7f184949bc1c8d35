// The facts that a page states about its run: the command line, and the load of the machine.
#pragma once

#include <string>
#include <vector>

namespace gondwana {

struct Circumstances {
  std::string command;  // the command line of this process
  double load = 0;      // the load average of the last minute

  // The arguments that page generators take after their file names.
  std::vector<std::string> words() const;
};

// Call this before any measurement, because the load includes it.
Circumstances present_circumstances();

// An error message if the page generator cannot run because python3 is not in PATH; otherwise
// empty.
std::string python_warning();

}  // namespace gondwana
