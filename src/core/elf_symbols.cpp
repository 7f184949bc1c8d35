#include "core/elf_symbols.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "core/elf_file.hpp"
#include "core/readable_names.hpp"

namespace gondwana {
namespace {

bool is_of(SymbolKind kind, const ElfW(Sym) & symbol) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF) return false;
  if (kind == SymbolKind::variable) return type == STT_OBJECT;
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

// A global name wins over a local alias, and the smaller of two symbols that contain the address
// wins.
bool is_better(const ElfW(Sym) & symbol, const ElfW(Sym) & best) {
  if (symbol.st_size != best.st_size) return symbol.st_size < best.st_size;
  return ELF64_ST_BIND(best.st_info) == STB_LOCAL && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

const ElfW(Sym) * find_in(ElfSymbols symbols, std::uintptr_t address, SymbolKind kind) {
  const ElfW(Sym)* best = nullptr;
  for (const ElfW(Sym) & symbol : symbols) {
    if (!is_of(kind, symbol) || address - symbol.st_value >= symbol.st_size) continue;
    if (best == nullptr || is_better(symbol, *best)) best = &symbol;
  }
  return best;
}

bool take(const ElfW(Sym) & symbol, std::span<const char> names, std::uintptr_t base,
          Symbol& found) {
  if (symbol.st_name >= names.size()) return false;
  const std::span rest = names.subspan(symbol.st_name);
  const std::size_t length = std::min(::strnlen(rest.data(), rest.size()), found.name.size() - 1);
  std::memcpy(found.name.data(), rest.data(), length);
  found.name[length] = '\0';
  found.begin = base + symbol.st_value;
  found.size = symbol.st_size;
  return length > 0;
}

}  // namespace

bool find_symbol(std::uintptr_t address, SymbolKind kind, Symbol& found) {
  const Module module = module_at(address);
  if (module.path == nullptr) return false;
  return use_symbol_tables(module, [&](ElfSymbols symbols, std::span<const char> names) {
    const ElfW(Sym)* symbol = find_in(symbols, address - module.base, kind);
    return symbol != nullptr && take(*symbol, names, module.base, found);
  });
}

std::vector<ProgramVariable> variables_of_program() {
  const Module module = module_at(::getauxval(AT_ENTRY));
  std::vector<ProgramVariable> found;
  if (module.path == nullptr) return found;
  use_symbol_tables(module, [&](ElfSymbols symbols, std::span<const char> names) {
    for (const ElfW(Sym) & symbol : symbols) {
      Symbol taken;
      if (!is_of(SymbolKind::variable, symbol) || symbol.st_size == 0) continue;
      if (!take(symbol, names, module.base, taken)) continue;
      make_readable(taken.name);
      found.push_back({taken.begin, taken.size, taken.name.data()});
    }
    return !found.empty();
  });
  std::ranges::sort(found, [](const auto& one, const auto& other) {
    return one.begin != other.begin ? one.begin < other.begin : one.size > other.size;
  });
  std::vector<ProgramVariable> apart;
  for (ProgramVariable& variable : found)
    if (apart.empty() || variable.begin >= apart.back().begin + apart.back().size)
      apart.push_back(std::move(variable));
  return apart;
}

}  // namespace gondwana
