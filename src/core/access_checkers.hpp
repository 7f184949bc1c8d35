// The tools that check each access to memory of this program: AddressSanitizer, if the program was
// built with it, and memcheck, if it runs under valgrind. Both learn here which memory the program
// may access.
#pragma once

#include <cstddef>

// Null without a sanitizer. NOLINTBEGIN(readability-identifier-naming): names of AddressSanitizer
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* start, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* start, std::size_t size);
}
// NOLINTEND(readability-identifier-naming)

namespace gondwana {

// The executable is linked with AddressSanitizer; the library may be built without it.
inline bool has_address_sanitizer() {
  return __asan_poison_memory_region != nullptr;
}
// This process runs under valgrind, with any of its tools.
bool runs_under_valgrind();

// Makes accesses to [start, start + size) an error, or allows them again. Does nothing without a
// checker. AddressSanitizer requires that an allowed range begins at a multiple of 8.
void forbid_access(std::byte* start, std::size_t size);
void allow_access(std::byte* start, std::size_t size);

}  // namespace gondwana
