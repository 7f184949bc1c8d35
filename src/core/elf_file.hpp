// The symbol tables in the file of the program or of a library. Allocates by mmap only and unmaps,
// so signal handlers may read them.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gondwana {

// The file of the program or of a library, and its load address.
struct Module {
  const char* path = nullptr;  // null: no module contains the address
  std::uintptr_t base = 0;
};

Module module_at(std::uintptr_t address);

// An open file.
class ElfFile {
 public:
  explicit ElfFile(const char* path);
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  // Returns an empty range if the file has none.
  template <typename T>
  std::span<const T> read(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return {};
    const std::byte* start = bytes_.data() + offset;
    if (reinterpret_cast<std::uintptr_t>(start) % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(start), count};
  }

 private:
  std::span<const std::byte> bytes_;
};

using ElfSymbols = std::span<const ElfW(Sym)>;

// Calls `use` with each symbol table and its names, until it returns true.
template <typename Use>
bool use_symbol_tables(const Module& module, Use use) {
  const ElfFile file(module.path);
  const auto header = file.read<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return false;
  const auto sections = file.read<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const ElfW(Shdr) & section : sections) {
      if (section.sh_type != type || section.sh_link >= sections.size()) continue;
      const ElfW(Shdr)& strings = sections[section.sh_link];
      if (use(file.read<ElfW(Sym)>(section.sh_offset, section.sh_size / sizeof(ElfW(Sym))),
              file.read<char>(strings.sh_offset, strings.sh_size)))
        return true;
    }
  }
  return false;
}

}  // namespace gondwana
