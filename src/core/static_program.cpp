#include "core/static_program.hpp"

#include <link.h>

#include <algorithm>
#include <span>

namespace gondwana {
namespace {

// Called for each loaded object. Stops at the first one, the program.
int find_loader(dl_phdr_info* program, std::size_t /*size*/, void* data) {
  const std::span segments(program->dlpi_phdr, program->dlpi_phnum);
  *static_cast<bool*>(data) = std::ranges::any_of(
      segments, [](const ElfW(Phdr) & segment) { return segment.p_type == PT_INTERP; });
  return 1;
}

}  // namespace

bool is_static_program() {
  bool has_loader = true;
  ::dl_iterate_phdr(find_loader, &has_loader);
  return !has_loader;
}

}  // namespace gondwana
