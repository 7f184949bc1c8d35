// Helpers for the wrappers of ARMCI's calls.
#pragma once

#include <cstddef>
#include <span>

#include "armci/armci.h"
#include "call.hpp"

namespace gondwana::profile {

// Ends the process if the library lacks the call.
void* find_armci_call(const char* name);

template <typename Function>
Function* armci_call(const char* name) {
  return reinterpret_cast<Function*>(find_armci_call(name));
}

// The call itself reports invalid arguments.
inline std::size_t bytes_of(armci_size_t size) {
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}
inline std::size_t bytes_of(const int* count, int stride_levels) {
  if (count == nullptr || stride_levels < 0) return 0;
  std::size_t bytes = 1;
  for (const int part : std::span(count, static_cast<std::size_t>(stride_levels) + 1))
    bytes *= bytes_of(part);
  return bytes;
}
inline std::size_t bytes_of(const armci_giov_t* lists, int number) {
  if (lists == nullptr || number < 0) return 0;
  std::size_t bytes = 0;
  for (const armci_giov_t& list : std::span(lists, static_cast<std::size_t>(number)))
    bytes += bytes_of(list.bytes) * bytes_of(list.ptr_array_len);
  return bytes;
}
inline std::size_t bytes_of_update(int op) {
  return op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
}

}  // namespace gondwana::profile
