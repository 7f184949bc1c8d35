#include "front/shmem/stream_driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gondwana::shmem {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool is_loaded(const char* name) {
  return ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

// CUDA's runtime loads the driver with its first call, which may come later than our first one.
void* find_library() {
  constexpr const char* name = "libcuda.so.1";
  void* loaded = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (loaded != nullptr || ::access("/dev/nvidiactl", F_OK) != 0) return loaded;
  return ::dlopen(name, RTLD_NOW);
}

std::optional<StreamDriver> find_driver() {
  void* library = find_library();
  if (library == nullptr) return std::nullopt;
  StreamDriver found{};
  const bool has_all = find(library, "cuInit", found.start) &&
                       find(library, "cuLaunchHostFunc", found.launch_host_function) &&
                       (find(library, "cuStreamWaitValue32_v2", found.wait_value) ||
                        find(library, "cuStreamWaitValue32", found.wait_value)) &&
                       find(library, "cuMemHostAlloc", found.allocate_host) &&
                       find(library, "cuMemHostGetDevicePointer_v2", found.device_pointer);
  return has_all && found.start(0) == 0 ? std::optional(found) : std::nullopt;
}

}  // namespace

const StreamDriver* stream_driver() {
  static const std::optional<StreamDriver> found = find_driver();
  return found ? &*found : nullptr;
}

bool has_other_streams() {
  constexpr std::array names{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  static const bool is_one_loaded = std::ranges::any_of(names, is_loaded);
  return is_one_loaded;
}

}  // namespace gondwana::shmem
