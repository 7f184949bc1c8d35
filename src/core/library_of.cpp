#include "core/library_of.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace gondwana {
namespace {

struct LibrarySearch {
  std::uintptr_t address;
  std::string library;
};

// Called for each loaded object. Stops at the one that contains the address.
int visit_library(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  LibrarySearch& search = *static_cast<LibrarySearch*>(data);
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  const bool has_it = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search.address - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  });
  if (has_it) search.library = object->dlpi_name;  // the executable has no name
  return has_it ? 1 : 0;
}

}  // namespace

std::string library_of(const void* address) {
  LibrarySearch search{reinterpret_cast<std::uintptr_t>(address), {}};
  ::dl_iterate_phdr(visit_library, &search);
  return search.library;
}

}  // namespace gondwana
