#include "run/node/needed_libraries.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/unique_fd.hpp"

namespace gondwana::launch {
namespace {

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  // The segments of a type; empty if this is not an ELF file of this machine.
  std::vector<ElfW(Phdr)> segments(unsigned type) const {
    ElfW(Ehdr) header{};
    if (!read_at(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(ElfW(Phdr)))
      return {};
    std::vector<ElfW(Phdr)> found;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      ElfW(Phdr) segment{};
      if (read_at(header.e_phoff + i * sizeof(segment), segment) && segment.p_type == type)
        found.push_back(segment);
    }
    return found;
  }

  std::vector<ElfW(Dyn)> dynamic_entries() const {
    std::vector<ElfW(Dyn)> entries;
    for (const ElfW(Phdr) & table : segments(PT_DYNAMIC)) {
      const std::size_t most = std::min<std::size_t>(table.p_filesz / sizeof(ElfW(Dyn)), 4096);
      for (std::size_t i = 0; i < most; ++i) {
        ElfW(Dyn) entry{};
        if (!read_at(table.p_offset + i * sizeof(entry), entry) || entry.d_tag == DT_NULL) break;
        entries.push_back(entry);
      }
    }
    return entries;
  }

  // The file offset of the bytes that are loaded at this address.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const ElfW(Phdr) & load : segments(PT_LOAD))
      if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz)
        return address - load.p_vaddr + load.p_offset;
    return std::nullopt;
  }

  std::string text_at(std::uint64_t offset) const {
    std::array<char, 256> text{};
    if (::pread(file_.get(), text.data(), text.size() - 1, static_cast<off_t>(offset)) <= 0)
      return {};
    return text.data();
  }

 private:
  template <typename T>
  bool read_at(std::uint64_t offset, T& value) const {
    return ::pread(file_.get(), &value, sizeof(value), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(sizeof(value));
  }

  UniqueFd file_;
};

}  // namespace

std::vector<std::string> needed_libraries(const std::string& path) {
  const ElfFile file(path);
  const std::vector<ElfW(Dyn)> entries = file.dynamic_entries();
  const auto names =
      std::ranges::find(entries, ElfW(Sxword){DT_STRTAB}, [](const auto& e) { return e.d_tag; });
  if (names == entries.end()) return {};
  const std::optional<std::uint64_t> start = file.offset_of(names->d_un.d_ptr);
  if (!start) return {};
  std::vector<std::string> result;
  for (const ElfW(Dyn) & entry : entries)
    if (entry.d_tag == DT_NEEDED) result.push_back(file.text_at(*start + entry.d_un.d_val));
  return result;
}

std::string other_runtime(const std::string& path) {
  constexpr std::array<std::string_view, 6> runtimes{"libmpi",    "liboshmem.", "libopenshmem.",
                                                     "libshmem.", "libsma.",    "libnvshmem"};
  constexpr std::string_view ours = "libnvshmem_host.so.0";  // NVIDIA's numbers start at 2
  for (const std::string& library : needed_libraries(path))
    for (const std::string_view name : runtimes)
      if (library.starts_with(name) && library != ours) return library;
  return {};
}

}  // namespace gondwana::launch
