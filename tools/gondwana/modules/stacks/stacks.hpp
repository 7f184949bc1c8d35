// What the stacks module gives to `gondwana why`. One build makes both, so C++ types may cross.
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
  bool is_program = false;  // not in a library
  std::uint64_t address = 0;
};

struct ThreadStack {
  pid_t thread = 0;
  std::string name;           // as its program has named it, else that of the program
  std::vector<Frame> frames;  // the innermost first; empty: `problem` says why
  std::string problem = {};
};

inline constexpr const char* stacks_symbol = "gondwana_stacks_of";

// The stacks of all threads of the process, its first thread first. Each thread is held while its
// stack is read: some milliseconds, longer where debugging information is read.
using FindStacks = void (*)(pid_t process, Result<std::vector<ThreadStack>>* stacks);

// A place in the memory of a process.
struct Variable {
  pid_t process = 0;
  std::uint64_t address = 0;
};

inline constexpr const char* variable_symbol = "gondwana_name_variable";

// The variable of the program that is there, with the distance from its start: "locks+8". Empty
// where there is none, or where the program was stripped of its names.
using NameVariable = void (*)(const Variable& variable, std::string* name);

struct Symbol {
  std::uint64_t begin;  // as if the file were loaded at 0
  std::uint64_t size;
  std::string name;
};

inline constexpr const char* variables_symbol = "gondwana_variables_of_file";

// The variables of a program or library, in the order of their addresses. None where it was
// stripped of its names.
using FindVariables = void (*)(const std::string& file, std::vector<Symbol>* variables);

inline constexpr const char* lines_symbol = "gondwana_lines_of_address";

// `address` is one of the file, as if that were loaded at 0. Writes lines of a function, its source
// file and line, with tabs between, innermost first: of inlined functions there are several. Cuts
// what does not fit.
using FindLines = void (*)(const char* file, std::uint64_t address, char* text, std::size_t size);

}  // namespace gondwana::stacks
