#include "front/nvshmem/driver.hpp"

#include <dlfcn.h>

#include <optional>

namespace gondwana::nvshmem {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::optional<Driver> find_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  Driver found{};
  const bool has_all = find(library, "cuInit", found.start) &&
                       find(library, "cuLaunchHostFunc", found.launch_host_function) &&
                       (find(library, "cuStreamWaitValue32_v2", found.wait_value) ||
                        find(library, "cuStreamWaitValue32", found.wait_value)) &&
                       find(library, "cuMemHostAlloc", found.allocate_host) &&
                       find(library, "cuMemHostGetDevicePointer_v2", found.device_pointer) &&
                       find(library, "cuCtxGetDevice", found.current_device);
  return has_all && found.start(0) == 0 ? std::optional(found) : std::nullopt;
}

}  // namespace

const Driver* driver() {
  static const std::optional<Driver> found = find_driver();
  return found ? &*found : nullptr;
}

int current_cuda_device() {
  int device = -1;
  return driver() != nullptr && driver()->current_device(&device) == 0 ? device : -1;
}

}  // namespace gondwana::nvshmem
