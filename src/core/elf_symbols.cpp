#include "core/elf_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "core/unique_fd.hpp"

namespace gondwana {
namespace {

// The file of the program or of a library, and where that lies.
struct Module {
  std::uintptr_t address;  // that is looked for
  const char* path = nullptr;
  std::uintptr_t base = 0;
};

// Called for each of them, the program first, whose name is empty; stops at the one that has it.
int look_at_module(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  Module& module = *static_cast<Module*>(data);
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  const bool has_it = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           module.address - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  });
  if (!has_it) return 0;
  module.path = *object->dlpi_name != '\0' ? object->dlpi_name : "/proc/self/exe";
  module.base = object->dlpi_addr;
  return 1;
}

// A file while it is read.
class File {
 public:
  explicit File(const char* path) {
    const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
    struct stat facts{};
    if (!file || ::fstat(file.get(), &facts) != 0 || facts.st_size <= 0) return;
    const auto length = static_cast<std::size_t>(facts.st_size);
    void* start = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(start), length};
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  // Empty where the file does not have them.
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

bool is_of(SymbolKind kind, const ElfW(Sym) & symbol) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF) return false;
  if (kind == SymbolKind::variable) return type == STT_OBJECT;
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

// A name that is not local wins over an alias that is, and the smaller of two that have it.
bool is_better(const ElfW(Sym) & symbol, const ElfW(Sym) & best) {
  if (symbol.st_size != best.st_size) return symbol.st_size < best.st_size;
  return ELF64_ST_BIND(best.st_info) == STB_LOCAL && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

const ElfW(Sym) *
    find_in(std::span<const ElfW(Sym)> symbols, std::uintptr_t address, SymbolKind kind) {
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

namespace {

// Calls `use` with each table of symbols and its names, until it returns true.
template <typename Use>
bool use_tables(const Module& module, Use use) {
  const File file(module.path);
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

}  // namespace

bool find_symbol(std::uintptr_t address, SymbolKind kind, Symbol& found) {
  Module module{.address = address};
  if (::dl_iterate_phdr(look_at_module, &module) == 0) return false;
  return use_tables(module, [&](auto symbols, auto names) {
    const ElfW(Sym)* symbol = find_in(symbols, address - module.base, kind);
    return symbol != nullptr && take(*symbol, names, module.base, found);
  });
}

std::vector<ProgramVariable> variables_of_program() {
  Module module{.address = ::getauxval(AT_ENTRY)};
  std::vector<ProgramVariable> found;
  if (::dl_iterate_phdr(look_at_module, &module) == 0) return found;
  use_tables(module, [&](std::span<const ElfW(Sym)> symbols, std::span<const char> names) {
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

namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// The names in a mangled name of C++, one after the other.
class Mangled {
 public:
  explicit Mangled(std::string_view text) : rest_(text) {}

  bool skip(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  // A length and as many letters; empty: something else comes.
  std::string_view name() {
    std::size_t length = 0;
    while (!rest_.empty() && is_digit(rest_.front()) && length < 1000) {
      length = 10 * length + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(text.size());
    return text.size() == length ? text : std::string_view();
  }

 private:
  std::string_view rest_;
};

// Names of functions and of what they are in; of templates, operators and lambdas what comes
// before.
bool read_names(std::string_view mangled, std::array<char, 256>& readable) {
  Mangled text(mangled);
  if (!text.skip("_Z")) return false;
  if (text.skip("N"))
    while (text.skip("K") || text.skip("V") || text.skip("r")) {
    }
  std::size_t length = 0;
  std::string_view last;
  const auto add = [&](std::string_view prefix, std::string_view name) {
    const std::string_view colons = length > 0 ? "::" : "";
    for (const std::string_view part : {colons, prefix, name}) {
      const std::size_t fits = std::min(part.size(), readable.size() - 1 - length);
      std::copy_n(part.begin(), fits, readable.begin() + static_cast<std::ptrdiff_t>(length));
      length += fits;
    }
    readable[length] = '\0';
  };
  if (text.skip("St")) add("", "std");
  for (;;) {
    text.skip("L");
    const std::string_view name = text.name();
    if (name.empty()) break;
    if (!name.starts_with("_GLOBAL__N_")) add("", last = name);
  }
  if (!last.empty() && (text.skip("C1") || text.skip("C2"))) add("", last);
  if (!last.empty() && (text.skip("D0") || text.skip("D1") || text.skip("D2"))) add("~", last);
  return !last.empty();
}

}  // namespace

void make_readable(std::array<char, 256>& name) {
  const std::array<char, 256> given = name;
  const std::string_view text = given.data();
  if (read_names(text, name)) return;
  const std::size_t procedure = text.find("_MOD_");
  if (!text.starts_with("__") || procedure == std::string_view::npos) return;
  const std::string_view own = text.substr(procedure + 5);
  *std::ranges::copy(own, name.begin()).out = '\0';
}

}  // namespace gondwana
