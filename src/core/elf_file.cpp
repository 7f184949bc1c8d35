#include "core/elf_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/unique_fd.hpp"

namespace gondwana {
namespace {

struct Search {
  std::uintptr_t address;
  Module found;
};

// Called for each module. The program comes first and has an empty name. Stops at the module that
// contains the address.
int visit_module(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  Search& search = *static_cast<Search*>(data);
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  const bool has_it = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search.address - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  });
  if (!has_it) return 0;
  search.found = {*object->dlpi_name != '\0' ? object->dlpi_name : "/proc/self/exe",
                  object->dlpi_addr};
  return 1;
}

}  // namespace

Module module_at(std::uintptr_t address) {
  Search search{address, {}};
  ::dl_iterate_phdr(visit_module, &search);
  return search.found;
}

ElfFile::ElfFile(const char* path) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0 || facts.st_size <= 0) return;
  const auto length = static_cast<std::size_t>(facts.st_size);
  void* start = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(start), length};
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace gondwana
