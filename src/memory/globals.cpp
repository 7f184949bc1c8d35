#include "memory/globals.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "core/hash.hpp"
#include "core/mapping.hpp"

namespace gondwana {
namespace {

struct Search {
  const char* library;
  ProgramImage image;
  bool has_build_id = false;
};

std::uintptr_t page_down(std::uintptr_t address) {
  return address & ~(page_size() - 1);
}
std::uintptr_t page_up(std::uintptr_t address) {
  return page_down(address + page_size() - 1);
}

template <typename T>
const T* pointer(std::uintptr_t address) {
  return reinterpret_cast<const T*>(address);
}

// The pages of a writable segment that the loader did not make read-only again.
MutableBytes writable_pages(const dl_phdr_info& program, const ElfW(Phdr) & segment) {
  std::uintptr_t low = page_down(program.dlpi_addr + segment.p_vaddr);
  const std::uintptr_t high = page_up(program.dlpi_addr + segment.p_vaddr + segment.p_memsz);
  for (const ElfW(Phdr) & other : std::span(program.dlpi_phdr, program.dlpi_phnum)) {
    if (other.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t end = page_down(program.dlpi_addr + other.p_vaddr + other.p_memsz);
    if (end > low && end <= high) low = end;
  }
  return {const_cast<std::byte*>(pointer<std::byte>(low)), high - low};
}

bool needs_library(const dl_phdr_info& program, const ElfW(Phdr) & segment, const char* library) {
  const auto* entries = pointer<ElfW(Dyn)>(program.dlpi_addr + segment.p_vaddr);
  const char* names = nullptr;
  for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) names = pointer<char>(entry->d_un.d_ptr);
  for (const auto* entry = entries; names != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED &&
        std::string_view(names + entry->d_un.d_val).starts_with(library))
      return true;
  return false;
}

// Whether this function is part of the program: then the library is linked statically.
bool contains_us(const dl_phdr_info& program, const ElfW(Phdr) & segment) {
  const auto us = reinterpret_cast<std::uintptr_t>(&inspect_program);
  const std::uintptr_t start = program.dlpi_addr + segment.p_vaddr;
  return us >= start && us < start + segment.p_memsz;
}

// Whether one of these notes is a build id.
bool has_build_id(Bytes notes, std::size_t alignment) {
  const std::size_t step = std::max<std::size_t>(alignment, 4);
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU) return true;
    const std::size_t length =
        round_up(round_up(sizeof note + note.n_namesz, step) + note.n_descsz, step);
    if (length >= notes.size()) break;
    notes = notes.subspan(length);
  }
  return false;
}

// The hash of the file that this process runs; 0 if it cannot be read.
std::uint64_t hash_own_file() {
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0 || facts.st_size == 0) return 0;
  const auto length = static_cast<std::size_t>(facts.st_size);
  void* start = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return 0;
  const Mapping contents(static_cast<std::byte*>(start), length);
  return Hash().add(Bytes{contents.data(), length}).value();
}

// Segments come in order of address.
void add_part(ProgramImage& image, MutableBytes pages) {
  std::byte* first = image.parts.empty() ? pages.data() : image.parts.front().data();
  image.parts.push_back(pages);
  image.globals = {first, pages.data() + pages.size()};
}

void visit_segment(const dl_phdr_info& program, const ElfW(Phdr) & segment, Search& search) {
  ProgramImage& image = search.image;
  if (segment.p_type == PT_LOAD) {
    image.links_library |= contains_us(program, segment);
    if ((segment.p_flags & PF_W) == 0) return;
    const MutableBytes pages = writable_pages(program, segment);
    if (!pages.empty()) add_part(image, pages);
  } else if (segment.p_type == PT_DYNAMIC) {
    image.links_library |= needs_library(program, segment, search.library);
  } else if (segment.p_type == PT_NOTE) {
    const Bytes notes{pointer<std::byte>(program.dlpi_addr + segment.p_vaddr), segment.p_memsz};
    image.id ^= Hash().add(notes).value();
    search.has_build_id |= has_build_id(notes, segment.p_align);
  }
}

// Called for each loaded object. Stops at the first one, the program.
int visit_program(dl_phdr_info* program, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (const ElfW(Phdr) & segment : std::span(program->dlpi_phdr, program->dlpi_phnum))
    visit_segment(*program, segment, search);
  return 1;
}

bool is_beyond_file_size(std::size_t end) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < end;
}

// This function and the next avoid functions of the C library that sanitizers replace. Their
// pwrite() would report the bytes between variables, and their mmap() would forget them.
bool write_page(const UniqueFd& arena, std::size_t offset, Bytes page) {
  return ::syscall(SYS_pwrite64, arena.get(), page.data(), page.size(), offset) ==
         static_cast<long>(page.size());
}

// Reports exhausted memory, and touches no zero page.
bool write_to(const UniqueFd& arena, std::size_t offset, MutableBytes globals) {
  const std::size_t page = page_size();
  for (std::size_t at = 0; at < globals.size(); at += page) {
    const Bytes bytes = globals.subspan(at, page);
    if (!is_all_zero(bytes) && !write_page(arena, offset + at, bytes)) return false;
  }
  return true;
}

// The limit of file sizes applies to pwrite(), but not to memory.
bool copy_to(const UniqueFd& arena, std::size_t offset, MutableBytes globals) {
  void* start = ::mmap(nullptr, globals.size(), PROT_READ | PROT_WRITE, MAP_SHARED, arena.get(),
                       static_cast<off_t>(offset));
  if (start == MAP_FAILED) return false;
  const Mapping copy(static_cast<std::byte*>(start), globals.size());
  copy_to_zero_pages(copy.data(), globals);
  return true;
}

}  // namespace

ProgramImage inspect_program(const char* library) {
  Search search{library, {}};
  ::dl_iterate_phdr(visit_program, &search);
  if (!search.has_build_id) search.image.id ^= hash_own_file();
  return search.image;
}

namespace {

Result<void> share_part(MutableBytes globals, const UniqueFd& arena, std::size_t offset,
                        Contents contents) {
  const auto fail = [&] {
    return Error{Errc::refused,
                 fmt::format("cannot map {} of global variables to shared memory: {}",
                             format_size(globals.size()), std::strerror(errno))};
  };
  const bool is_there = contents == Contents::kept || (is_beyond_file_size(offset + globals.size())
                                                           ? copy_to(arena, offset, globals)
                                                           : write_to(arena, offset, globals));
  if (!is_there) return fail();
  const long mapped = ::syscall(SYS_mmap, globals.data(), globals.size(), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED, arena.get(), offset);
  if (mapped == -1) return fail();
  return {};
}

void make_part_private(MutableBytes globals) {
  void* copy = ::mmap(nullptr, globals.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) return;
  copy_to_zero_pages(static_cast<std::byte*>(copy), globals);
  ::mremap(copy, globals.size(), globals.size(), MREMAP_MAYMOVE | MREMAP_FIXED, globals.data());
}

}  // namespace

Result<void> share_globals(const ProgramImage& image, const UniqueFd& arena, std::size_t offset,
                           Contents contents) {
  for (const MutableBytes part : image.parts) {
    const auto before = static_cast<std::size_t>(part.data() - image.globals.data());
    if (Result<void> shared = share_part(part, arena, offset + before, contents); !shared)
      return shared;
  }
  return {};
}

namespace {

// A mapping of length 0 that moves is a second mapping of the same pages (mremap(2)).
Result<void> move_part(MutableBytes globals, std::byte* window) {
  const std::size_t page = page_size();
  for (std::size_t at = 0; at < globals.size(); at += page)
    if (std::memcmp(window + at, globals.data() + at, page) != 0)
      std::memcpy(window + at, globals.data() + at, page);
  if (::mremap(window, 0, globals.size(), MREMAP_MAYMOVE | MREMAP_FIXED, globals.data()) ==
      MAP_FAILED) {
    return Error{Errc::refused,
                 fmt::format("cannot move {} of global variables to the memory of the job: {}",
                             format_size(globals.size()), std::strerror(errno))};
  }
  return {};
}

}  // namespace

Result<void> move_globals(const ProgramImage& image, std::byte* window) {
  for (const MutableBytes part : image.parts) {
    const auto before = static_cast<std::size_t>(part.data() - image.globals.data());
    if (Result<void> moved = move_part(part, window + before); !moved) return moved;
  }
  return {};
}

void make_globals_private(const ProgramImage& image) {
  for (const MutableBytes part : image.parts) make_part_private(part);
}

}  // namespace gondwana
