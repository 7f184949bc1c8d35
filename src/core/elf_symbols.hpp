// Names of functions and variables, from the symbol tables of the program and its libraries.
// Stripped files have names of their exports only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gondwana {

enum class SymbolKind : std::uint8_t { function, variable };

struct Symbol {
  std::array<char, 256> name{};  // as the linker knows it, truncated
  std::uintptr_t begin = 0;
  std::size_t size = 0;  // 0: unknown, as for labels in assembly code
};

// The symbol that contains `address`. False if none is known. Allocates by mmap only and unmaps, so
// signal handlers may call it.
bool find_symbol(std::uintptr_t address, SymbolKind kind, Symbol& found);

// The variables of the program, sorted by address. If two overlap, only the larger is included.
// Empty for a stripped program.
struct ProgramVariable {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  std::string name;
};
std::vector<ProgramVariable> variables_of_program();

}  // namespace gondwana
