// What watches every access to memory of this program: AddressSanitizer, where the program was
// built with it, and memcheck, where it runs under valgrind. Both learn here what the program may
// touch.
#pragma once

#include <cstddef>

// Null where there is no sanitizer.
// NOLINTBEGIN(readability-identifier-naming): its names
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* start, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* start, std::size_t size);
}
// NOLINTEND(readability-identifier-naming)

namespace gondwana {

// The executable brings AddressSanitizer; the library need not be built with it.
inline bool has_address_sanitizer() {
  return __asan_poison_memory_region != nullptr;
}
// This process runs under valgrind, whatever its tool.
bool runs_under_valgrind();

// From here on an access to [start, start + size) is an error, or none any more. Without a checker
// nothing happens. What is allowed begins at a multiple of 8, for AddressSanitizer.
void forbid_access(std::byte* start, std::size_t size);
void allow_access(std::byte* start, std::size_t size);

}  // namespace gondwana
