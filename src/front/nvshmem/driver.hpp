// The few calls of CUDA's driver that streams need. The driver is used where the program has loaded
// it, and never loaded.
#pragma once

#include <cstdint>

#include "nvshmem_types.h"

namespace gondwana::nvshmem {

// cuda.h has them under the same names, without the trailing part of a version.
struct Driver {
  int (*start)(unsigned flags);
  int (*launch_host_function)(cudaStream_t stream, void (*function)(void*), void* argument);
  int (*wait_value)(cudaStream_t stream, std::uint64_t address, std::uint32_t value,
                    unsigned flags);
  int (*allocate_host)(void** address, std::size_t size, unsigned flags);
  int (*device_pointer)(std::uint64_t* address, void* host, unsigned flags);
  int (*current_device)(int* device);
};

// Null: the process has not loaded it, or it finds no device.
const Driver* driver();
// -1: none.
int current_cuda_device();

}  // namespace gondwana::nvshmem
