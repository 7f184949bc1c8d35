// Names of functions and variables, from the symbol tables in the files of the program and its
// libraries. Stripped files have names of what they export only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gondwana {

enum class SymbolKind : std::uint8_t { function, variable };

struct Symbol {
  std::array<char, 256> name{};  // as the linker knows it; cut where it is longer
  std::uintptr_t begin = 0;
  std::size_t size = 0;  // 0: unknown, as of labels in assembly code
};

// The symbol that has `address`. False where none is known. Takes memory by mmap only and gives it
// back, so handlers of signals may call it.
bool find_symbol(std::uintptr_t address, SymbolKind kind, Symbol& found);

// The variables of the program, sorted by their addresses; of two that overlap the larger one.
// Empty for a stripped program.
struct ProgramVariable {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  std::string name;
};
std::vector<ProgramVariable> variables_of_program();

}  // namespace gondwana
