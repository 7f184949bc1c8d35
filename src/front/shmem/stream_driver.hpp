// The few calls of CUDA's driver that streams need.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gondwana::shmem {

// cuda.h has them under the same names, without the trailing part of a version.
struct StreamDriver {
  int (*start)(unsigned flags);
  int (*launch_host_function)(void* stream, void (*function)(void*), void* argument);
  int (*wait_value)(void* stream, std::uint64_t address, std::uint32_t value, unsigned flags);
  int (*allocate_host)(void** address, std::size_t size, unsigned flags);
  int (*device_pointer)(std::uint64_t* address, void* host, unsigned flags);
};

// Null: this process has no device of CUDA, or its program has not loaded the driver yet. Only what
// was found is remembered.
const StreamDriver* stream_driver();
// Whether the program has loaded the library of ROCm, whose streams are not supported.
bool has_other_streams();

}  // namespace gondwana::shmem
