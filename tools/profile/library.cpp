#include "library.hpp"

#include <dlfcn.h>

#include <cstdio>

#include "tracing/tracer.hpp"

namespace gondwana::profile {

void find_library() {
  // Never closed: this is the library that the program itself has loaded.
  static void* const library =
      ::dlsym(RTLD_DEFAULT, "pshmem_init") != nullptr
          ? nullptr
          : ::dlopen(GONDWANA_SHMEM_LIBRARY, RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
  static_cast<void>(library);
}

bool load_library() {
  if (::dlsym(RTLD_DEFAULT, "pshmem_init") != nullptr) return true;
  if (::dlopen(GONDWANA_SHMEM_LIBRARY, RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
  std::fprintf(stderr,
               "gondwana profile: calls of GASNet-EX and ARMCI are not counted, because the "
               "counters need %s: "
               "%s; install Gondwana again\n",
               GONDWANA_SHMEM_LIBRARY, ::dlerror());
  return false;
}

const DeviceTraffic* device_traffic() {
  const auto find = reinterpret_cast<decltype(&gondwana_device_traffic)>(
      ::dlsym(RTLD_DEFAULT, "gondwana_device_traffic"));
  return find != nullptr ? find() : nullptr;
}

TraceRing* trace_ring() {
  const auto find = reinterpret_cast<decltype(&gondwana_trace_ring)>(
      ::dlsym(RTLD_DEFAULT, "gondwana_trace_ring"));
  return find != nullptr ? find() : nullptr;
}

std::uint16_t trace_name(const char* name) {
  const auto find = reinterpret_cast<decltype(&gondwana_trace_name)>(
      ::dlsym(RTLD_DEFAULT, "gondwana_trace_name"));
  return find != nullptr ? find(name) : std::uint16_t{0};
}

const TraceSites* trace_sites() {
  const auto find = reinterpret_cast<decltype(&gondwana_trace_sites)>(
      ::dlsym(RTLD_DEFAULT, "gondwana_trace_sites"));
  return find != nullptr ? find() : nullptr;
}

std::uint16_t add_trace_site(std::uint64_t address) {
  const auto add = reinterpret_cast<decltype(&gondwana_trace_site)>(
      ::dlsym(RTLD_DEFAULT, "gondwana_trace_site"));
  return add != nullptr ? add(address) : std::uint16_t{0};
}

}  // namespace gondwana::profile
