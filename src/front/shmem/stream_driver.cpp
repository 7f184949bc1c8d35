#include "front/shmem/stream_driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace gondwana::shmem {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

constexpr unsigned no_timing = 2;  // of a new event

// `text`: the driver's text; may be null.
std::string named(int status, const char* text, const char* driver) {
  return text != nullptr ? text : fmt::format("error {} of {}", status, driver);
}

// The calls that CUDA and ROCm share.
class VendorStreams : public StreamDriver {
 public:
  int launch_host_function(void* stream, void (*function)(void*), void* argument) const override {
    return launch_(stream, function, argument);
  }
  int make_event(void*& event) const override { return make_event_(&event, no_timing); }
  int record(void* event, void* stream) const override { return record_(event, stream); }
  int query(void* event) const override { return query_(event); }
  // Old drivers do not have the call.
  void exchange_capture_mode(int& mode) const override {
    if (exchange_mode_ != nullptr) exchange_mode_(&mode);
  }
  bool is_captured(void* stream) const override {
    int status = 0;
    return get_capture_(stream, &status) == 0 && status != 0;
  }

 protected:
  int (*start_)(unsigned) = nullptr;
  int (*launch_)(void*, void (*)(void*), void*) = nullptr;
  int (*allocate_)(void**, std::size_t, unsigned) = nullptr;
  int (*make_event_)(void**, unsigned) = nullptr;
  int (*record_)(void*, void*) = nullptr;
  int (*query_)(void*) = nullptr;
  int (*get_capture_)(void*, int*) = nullptr;
  int (*exchange_mode_)(int*) = nullptr;
};

// cuda.h declares these calls, without the version suffixes.
class CudaStreams final : public VendorStreams {
 public:
  bool find_in(void* library) {
    find(library, "cuThreadExchangeStreamCaptureMode", exchange_mode_);
    return find(library, "cuInit", start_) && find(library, "cuLaunchHostFunc", launch_) &&
           (find(library, "cuStreamWaitValue32_v2", wait_) ||
            find(library, "cuStreamWaitValue32", wait_)) &&
           find(library, "cuMemHostAlloc", allocate_) &&
           find(library, "cuMemHostGetDevicePointer_v2", get_address_) &&
           find(library, "cuEventCreate", make_event_) && find(library, "cuEventRecord", record_) &&
           find(library, "cuEventQuery", query_) &&
           find(library, "cuStreamIsCapturing", get_capture_) &&
           find(library, "cuStreamGetCtx", get_context_) &&
           find(library, "cuCtxGetCurrent", get_current_) &&
           find(library, "cuCtxSetCurrent", set_current_) &&
           find(library, "cuDeviceGet", get_device_) &&
           find(library, "cuDevicePrimaryCtxRetain", retain_) &&
           find(library, "cuGetErrorName", name_error_) && start_(0) == 0;
  }
  const char* name() const override { return "CUDA"; }
  // A retained primary context is never released: the stream may be in use at exit.
  int enter(void* stream) const override {
    void* context = nullptr;
    if (const int status = get_current_(&context); status != 0 || context != nullptr) return status;
    int device = 0;
    int status = is_default(stream) ? get_device_(&device, 0) : get_context_(stream, &context);
    if (status == 0 && is_default(stream)) status = retain_(&context, device);
    return status == 0 ? set_current_(context) : status;
  }
  std::uintptr_t context_of(void* stream) const override {
    void* context = nullptr;
    return get_context_(stream, &context) == 0 ? reinterpret_cast<std::uintptr_t>(context) : 0;
  }
  int make_word(void*& word, std::uint64_t& on_device) const override {
    constexpr unsigned portable = 1;  // CU_MEMHOSTALLOC_PORTABLE
    const int status = allocate_(&word, sizeof(std::uint32_t), portable);
    return status == 0 ? get_address_(&on_device, word, 0) : status;
  }
  int wait_for_word(void* stream, std::uint64_t on_device, std::uint32_t value) const override {
    constexpr unsigned at_least = 0;  // CU_STREAM_WAIT_VALUE_GEQ
    return wait_(stream, on_device, value, at_least);
  }
  std::string name_of_error(int status) const override {
    const char* text = nullptr;
    return named(status, name_error_(status, &text) == 0 ? text : nullptr, name());
  }

 private:
  int (*wait_)(void*, std::uint64_t, std::uint32_t, unsigned) = nullptr;
  int (*get_address_)(std::uint64_t*, void*, unsigned) = nullptr;
  int (*get_context_)(void*, void**) = nullptr;
  int (*get_current_)(void**) = nullptr;
  int (*set_current_)(void*) = nullptr;
  int (*get_device_)(int*, int) = nullptr;
  int (*retain_)(void**, int) = nullptr;
  int (*name_error_)(int, const char**) = nullptr;
};

// The names are those of hip_runtime_api.h.
class HipStreams final : public VendorStreams {
 public:
  bool find_in(void* library) {
    find(library, "hipThreadExchangeStreamCaptureMode", exchange_mode_);
    find(library, "hipStreamGetDevice", get_device_);
    return find(library, "hipInit", start_) && find(library, "hipLaunchHostFunc", launch_) &&
           find(library, "hipStreamWaitValue32", wait_) &&
           find(library, "hipExtMallocWithFlags", allocate_) &&
           find(library, "hipEventCreateWithFlags", make_event_) &&
           find(library, "hipEventRecord", record_) && find(library, "hipEventQuery", query_) &&
           find(library, "hipStreamIsCapturing", get_capture_) &&
           find(library, "hipGetDevice", get_current_) &&
           find(library, "hipGetErrorName", name_error_) && start_(0) == 0;
  }
  const char* name() const override { return "ROCm"; }
  // Old versions do not report the device of a stream that is not a default stream.
  std::uintptr_t context_of(void* stream) const override {
    int device = 0;
    const bool is_known = is_default(stream)
                              ? get_current_(&device) == 0
                              : get_device_ != nullptr && get_device_(stream, &device) == 0;
    return is_known ? static_cast<std::uintptr_t>(device) : 0;
  }
  // A stream can wait for signal memory, which has 8 bytes and the same address on host and device.
  int make_word(void*& word, std::uint64_t& on_device) const override {
    constexpr unsigned signal = 2;  // hipMallocSignalMemory
    const int status = allocate_(&word, sizeof(std::uint64_t), signal);
    on_device = reinterpret_cast<std::uint64_t>(word);
    if (status == 0) *static_cast<std::uint64_t*>(word) = 0;
    return status;
  }
  int wait_for_word(void* stream, std::uint64_t on_device, std::uint32_t value) const override {
    constexpr unsigned at_least = 0;  // hipStreamWaitValueGte
    constexpr std::uint32_t all_bits = ~std::uint32_t{0};
    return wait_(stream, reinterpret_cast<void*>(on_device), value, at_least, all_bits);
  }
  std::string name_of_error(int status) const override {
    return named(status, name_error_(status), name());
  }

 private:
  int (*wait_)(void*, void*, std::uint32_t, unsigned, std::uint32_t) = nullptr;
  int (*get_current_)(int*) = nullptr;
  int (*get_device_)(void*, int*) = nullptr;  // of a stream
  const char* (*name_error_)(int) = nullptr;
};

constexpr std::array cuda_libraries{"libcuda.so.1"};
constexpr std::array hip_libraries{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};

void* open_one(std::span<const char* const> names, int flags) {
  for (const char* name : names)
    if (void* library = ::dlopen(name, flags); library != nullptr) return library;
  return nullptr;
}

// A runtime loads its driver in the program's first call, which may follow our first one. If a GPU
// exists, we load the library ourselves, once.
void* find_library(void* of_a_gpu, std::span<const char* const> names) {
  return of_a_gpu != nullptr ? of_a_gpu : open_one(names, RTLD_NOW | RTLD_NOLOAD);
}

void* load_for(const char* file_of_driver, std::span<const char* const> names) {
  return ::access(file_of_driver, F_OK) == 0 ? open_one(names, RTLD_NOW) : nullptr;
}

template <typename Driver>
std::unique_ptr<StreamDriver> driver_in(void* library) {
  if (library == nullptr) return nullptr;
  auto driver = std::make_unique<Driver>();
  if (!driver->find_in(library)) return nullptr;
  return driver;
}

std::unique_ptr<StreamDriver> find_driver() {
  static void* const cuda = load_for("/dev/nvidiactl", cuda_libraries);
  static void* const hip = load_for("/dev/kfd", hip_libraries);
  auto driver = driver_in<CudaStreams>(find_library(cuda, cuda_libraries));
  return driver ? std::move(driver) : driver_in<HipStreams>(find_library(hip, hip_libraries));
}

}  // namespace

const StreamDriver* stream_driver() {
  static std::atomic<const StreamDriver*> known = nullptr;
  if (const StreamDriver* driver = known.load(std::memory_order_acquire)) return driver;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  // Never destroyed: streams may be in use at exit.
  if (known.load(std::memory_order_relaxed) == nullptr)
    known.store(find_driver().release(), std::memory_order_release);  // pairs with the load above
  return known.load(std::memory_order_relaxed);
}

}  // namespace gondwana::shmem
