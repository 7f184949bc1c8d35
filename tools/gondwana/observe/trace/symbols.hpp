// Names of addresses, from the files of the program and its libraries. Each file is read once, and
// only addresses that occur in events are looked up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/stacks/stacks.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

struct SourceLine {
  std::string function = {};  // empty: unknown
  std::string place = {};     // "heat.c:41", or empty
};

class Symbols {
 public:
  Symbols();

  // The variable at an address of a rank, with the distance from its start: "locks+8". Empty if
  // there is none, or if the program was stripped.
  std::string variable(const Module& program, std::uint64_t address);

  // The source line of the call that returns to this address of the file.
  const SourceLine& line(const std::string& file, std::uint64_t address);

 private:
  const std::vector<stacks::Symbol>& variables_of(const std::string& file);

  stacks::FindVariables find_variables_ =
      nullptr;  // null: built without the library that provides it
  stacks::FindLines find_lines_ = nullptr;
  std::map<std::string, std::vector<stacks::Symbol>> variables_;
  std::map<std::pair<std::string, std::uint64_t>, SourceLine> lines_;
};

}  // namespace gondwana::trace
