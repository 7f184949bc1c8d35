// What an address of this process is, for messages about addresses that should be something else.
#pragma once

#include <cstdint>
#include <string>

namespace gondwana {

enum class AddressKind : std::uint8_t {
  unknown,
  null,
  unmapped,
  stack,
  thread_local_variable,
  constant,
  library_variable,
  malloc_heap,
  private_mapping,  // as malloc makes for large arrays
  file_mapping,
  window_of_rank,  // of the symmetric memory of a rank, as shmem_ptr returns it
};

struct AddressFacts {
  AddressKind kind = AddressKind::unknown;
  std::string what;  // "on the stack of step"; empty: unknown
};

// Reads files of the system and of the program: not for handlers of signals.
AddressFacts look_at_address(const void* address);

}  // namespace gondwana
