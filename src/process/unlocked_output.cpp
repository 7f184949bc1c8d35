#include "process/unlocked_output.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/static_program.hpp"

namespace gondwana {
namespace {

using namespace std::string_view_literals;

// With the zero bytes around them in a table of names. The first is what the inline forms of
// putc_unlocked call.
constexpr std::array calls{
    "\0__overflow\0"sv,     "\0putchar_unlocked\0"sv, "\0putc_unlocked\0"sv, "\0fputc_unlocked\0"sv,
    "\0fputs_unlocked\0"sv, "\0fwrite_unlocked\0"sv,  "\0puts_unlocked\0"sv};

// The names of the symbols of an object that the loader has relocated.
std::string_view names_of(const dl_phdr_info& object) {
  const char* begin = nullptr;
  std::size_t size = 0;
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::uintptr_t address = object.dlpi_addr + segment.p_vaddr;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(address);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) begin = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
    }
  }
  return begin == nullptr ? std::string_view() : std::string_view(begin, size);
}

// Libraries of the system are left out: the C library has all of these names, and others print by
// it.
int look_at(dl_phdr_info* object, std::size_t /*size*/, void* found) {
  const std::string_view file = object->dlpi_name;
  const bool is_of_system =
      file.starts_with("/lib") || file.starts_with("/usr/lib") || file.starts_with("linux-vdso");
  if (is_of_system) return 0;
  const std::string_view names = names_of(*object);
  const bool calls_one = std::ranges::any_of(
      calls, [&](std::string_view name) { return names.find(name) != std::string_view::npos; });
  if (calls_one) *static_cast<bool*>(found) = true;
  return calls_one ? 1 : 0;
}

}  // namespace

bool may_print_unlocked() {
  if (is_static_program()) return true;
  bool found = false;
  ::dl_iterate_phdr(&look_at, &found);
  return found;
}

}  // namespace gondwana
