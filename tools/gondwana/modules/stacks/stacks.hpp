// The interface of the stacks module for `gondwana why`. One build makes both, so they can share
// C++ types.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::stacks {

struct Frame {
  std::string function;   // as in the source, or empty
  std::string file = {};  // of the source, or empty
  int line = 0;
  std::string module = {};  // the program or library
  bool is_program = false;  // the function is not in a library
  std::uint64_t address = 0;
};

struct ThreadStack {
  pid_t thread = 0;
  std::string name;           // set by the program; by default the program's name
  std::vector<Frame> frames;  // innermost first; if empty, `problem` says why
  std::string problem = {};
};

inline constexpr const char* stacks_symbol = "gondwana_stacks_of";

// The stacks of all threads of the process, main thread first. Each thread is stopped while its
// stack is read: a few milliseconds, longer if debugging information has to be read.
using FindStacks = void (*)(pid_t process, Result<std::vector<ThreadStack>>* stacks);

// A location in the memory of a process.
struct Variable {
  pid_t process = 0;
  std::uint64_t address = 0;
};

inline constexpr const char* variable_symbol = "gondwana_name_variable";

// The variable of the program at that location, with the distance from its start: "locks+8". Empty
// if there is none, or if the program was stripped.
using NameVariable = void (*)(const Variable& variable, std::string* name);

struct Symbol {
  std::uint64_t begin;  // relative to the load address
  std::uint64_t size;
  std::string name;
};

inline constexpr const char* variables_symbol = "gondwana_variables_of_file";

// The variables of a program or library, sorted by address. Empty if it was stripped.
using FindVariables = void (*)(const std::string& file, std::vector<Symbol>* variables);

inline constexpr const char* lines_symbol = "gondwana_lines_of_address";

// `address` is relative to the load address. Writes one line for each function, innermost first
// (inlined functions give several): the function, source file and line, separated by tabs.
// Truncates text that does not fit.
using FindLines = void (*)(const char* file, std::uint64_t address, char* text, std::size_t size);

}  // namespace gondwana::stacks
