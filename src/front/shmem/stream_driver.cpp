#include "front/shmem/stream_driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
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
// Where there is a GPU we load it, and try that once.
void* find_library() {
  constexpr const char* name = "libcuda.so.1";
  static void* const of_a_gpu =
      ::access("/dev/nvidiactl", F_OK) == 0 ? ::dlopen(name, RTLD_NOW) : nullptr;
  return of_a_gpu != nullptr ? of_a_gpu : ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
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
  static std::atomic<const StreamDriver*> known = nullptr;
  if (const StreamDriver* driver = known.load(std::memory_order_acquire)) return driver;
  static std::mutex mutex;  // guards what follows
  static std::optional<StreamDriver> found;
  const std::scoped_lock lock(mutex);
  if (!found) found = find_driver();
  if (found) known.store(&*found, std::memory_order_release);  // pairs with the load above
  return known.load(std::memory_order_relaxed);
}

bool has_other_streams() {
  constexpr std::array names{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  return std::ranges::any_of(names, is_loaded);
}

}  // namespace gondwana::shmem
