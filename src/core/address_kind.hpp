// Describes an address of this process, for messages about an address of the wrong kind.
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
  private_mapping,  // a large array, as malloc maps it
  file_mapping,
  window_of_rank,  // symmetric memory of a rank, as shmem_ptr returns it
};

struct AddressFacts {
  AddressKind kind = AddressKind::unknown;
  std::string what;  // "on the stack of step"; empty: unknown
};

// Reads files of the system and of the program. Not for signal handlers.
AddressFacts find_address_facts(const void* address);

}  // namespace gondwana
