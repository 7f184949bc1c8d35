// What pages say of the run that they show: how it was started, and how busy the machine was.
#pragma once

#include <string>
#include <vector>

namespace gondwana {

struct Circumstances {
  std::string command;  // of this process
  double load = 0;      // the average of the last minute

  // As the programs that make pages take them after the names of their files.
  std::vector<std::string> words() const;
};

// Asked before anything is run, whose own load would count.
Circumstances present_circumstances();

// A sentence if the program that draws pages cannot run: there is no python3 in PATH.
std::string doubt_about_python();

}  // namespace gondwana
