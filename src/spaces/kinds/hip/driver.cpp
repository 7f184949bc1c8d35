// The HIP functions in use, declared as in hip_runtime_api.h of the versions 5, 6 and 7, which is
// not needed to build. Each thread has a current device, which our functions restore.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "core/mapping.hpp"
#include "spaces/kinds/hip/open.hpp"
#include "spaces/kinds/pinned_memory.hpp"
#include "spaces/kinds/stream_driver.hpp"
#include "spaces/kinds/vendor_device.hpp"

namespace gondwana::hip {
namespace {

constexpr int any_direction = 4;       // hipMemcpyDefault
constexpr int version_6 = 60'000'000;  // which numbers the types of memory anew

constexpr StreamCalls stream_calls{.allocate = {"hipMalloc"},
                                   .release = {"hipFree"},
                                   .fill = {"hipMemsetD8Async"},
                                   .make_stream = {"hipStreamCreateWithFlags"},
                                   .synchronize_stream = {"hipStreamSynchronize"},
                                   .destroy_stream = {"hipStreamDestroy"},
                                   .make_event = {"hipEventCreateWithFlags"},
                                   .record_event = {"hipEventRecord"},
                                   .query_event = {"hipEventQuery"},
                                   .synchronize_event = {"hipEventSynchronize"},
                                   .destroy_event = {"hipEventDestroy"},
                                   .pin = {"hipHostRegister"},
                                   .unpin = {"hipHostUnregister"},
                                   .get_handle = {"hipIpcGetMemHandle"},
                                   .open_handle = {"hipIpcOpenMemHandle"},
                                   .close_handle = {"hipIpcCloseMemHandle"},
                                   .exchange_mode = {"hipThreadExchangeStreamCaptureMode"}};

// The structure is the same in all versions, except for the numbers of the types.
struct PointerAttributes {
  int type;
  int device;
  void* on_device;
  void* on_host;
  int is_managed;
  unsigned flags;
  std::array<std::uint64_t, 8> of_later_versions;
};

class HipDriver final : public StreamDriver {
 public:
  HipDriver() : StreamDriver(stream_calls) {}

  Result<void> load();

  KindId kind() const override { return KindId::hip; }
  std::uint32_t devices() const override { return count_; }
  std::optional<Range> find(const void* address) override;
  Result<void> retain(std::uint32_t /*device*/) override { return {}; }
  void release(std::uint32_t /*device*/) override {}
  Result<void> enter(std::uint32_t device, void*& before) override;
  void leave(void* before) override;
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    StreamCalls::Object stream) override;
  unsigned open_flags() const override { return is_old_ ? 0 : 1; }  // lazy access to peers

 private:
  std::string name_of_error(int status) const override;

  DriverCall<unsigned> init_{"hipInit"};
  DriverCall<int*> get_version_{"hipRuntimeGetVersion"};
  DriverCall<int*> get_count_{"hipGetDeviceCount"};
  DriverCall<int*> get_device_{"hipGetDevice"};
  DriverCall<int> set_device_{"hipSetDevice"};
  DriverCall<void*, const void*, std::size_t, int, void*> copy_{"hipMemcpyAsync"};
  DriverCall<PointerAttributes*, const void*> describe_{"hipPointerGetAttributes"};
  DriverCall<void**, std::size_t*, const void*> get_range_{"hipMemGetAddressRange"};
  const char* (*get_name_)(int) = nullptr;
  int (*take_last_error_)() = nullptr;
  std::uint32_t count_ = 0;
  bool is_old_ = false;  // before version 6
};

Result<void> HipDriver::load() {
  Result<VendorLibrary> library = VendorLibrary::load(libraries, "ROCm");
  if (!library) return library.error();
  const auto find_all = [&](auto&... call) { (library->find(call.function, call.name), ...); };
  find_all(init_, get_version_, get_count_, get_device_, set_device_, copy_, describe_, get_range_);
  library->find(get_name_, "hipGetErrorName");
  library->find(take_last_error_, "hipGetLastError");
  calls_.find_in(*library);
  if (Result<void> complete = library->check(); !complete) return complete;
  if (Result<void> begun = check(init_.name, init_(0)); !begun) return begun;
  int version = 0;
  if (Result<void> told = check(get_version_.name, get_version_(&version)); !told) return told;
  is_old_ = version < version_6;
  int count = 0;
  if (Result<void> counted = check(get_count_.name, get_count_(&count)); !counted) return counted;
  count_ = static_cast<std::uint32_t>(count);
  return count > 0 ? Result<void>{} : Error{Errc::missing, "the driver has no device"};
}

// Clears the error, because we report it and it must not become the program's last error.
std::string HipDriver::name_of_error(int status) const {
  take_last_error_();
  const char* name = get_name_(status);
  return name == nullptr ? fmt::format("error {}", status) : name;
}

// Old versions report an error for host memory.
std::optional<Driver::Range> HipDriver::find(const void* address) {
  const int on_device = is_old_ ? 1 : 2;
  PointerAttributes found{};
  void* begin = nullptr;
  std::size_t size = 0;
  int status = describe_(&found, address);
  if (status == 0 && (found.type != on_device || found.is_managed != 0)) return {};
  if (status == 0) status = get_range_(&begin, &size, address);
  if (status == 0)
    return Range{static_cast<std::uint32_t>(found.device), {static_cast<std::byte*>(begin), size}};
  take_last_error_();
  return {};
}

// `before` contains a device number.
Result<void> HipDriver::enter(std::uint32_t device, void*& before) {
  int current = 0;
  if (Result<void> got = check(get_device_.name, get_device_(&current)); !got) return got;
  before = reinterpret_cast<void*>(static_cast<std::intptr_t>(current));
  const auto wanted = static_cast<int>(device);
  return current == wanted ? Result<void>{} : check(set_device_.name, set_device_(wanted));
}

void HipDriver::leave(void* before) {
  set_device_(static_cast<int>(reinterpret_cast<std::intptr_t>(before)));
}

Result<void> HipDriver::copy(std::byte* to, const std::byte* from, std::size_t size,
                             StreamCalls::Object stream) {
  return check(copy_.name, copy_(to, from, size, any_direction, stream));
}

// Called once in the life of the process.
Result<Driver*> load() {
  static const Result<Driver*> loaded = []() -> Result<Driver*> {
    auto driver = std::make_unique<HipDriver>();
    if (const Result<void> done = driver->load(); !done)
      return Error{done.error().code, "hip: " + done.error().text};
    return driver.release();
  }();
  return loaded;
}

}  // namespace

// The device file of the driver.
bool is_here(const KindContext& /*context*/) {
  return ::access("/dev/kfd", F_OK) == 0;
}

// Old versions report an error for other host memory.
bool has_pinned(Bytes pages) {
  const Result<VendorLibrary> library = VendorLibrary::load(libraries, "ROCm");
  DriverCall<int*> get_version{"hipRuntimeGetVersion"};
  DriverCall<PointerAttributes*, const void*> describe{"hipPointerGetAttributes"};
  DriverCall<> take_last_error{"hipGetLastError"};
  if (!library) return false;
  const auto find = [&](auto&... call) { (library->find_any(call.function, call.name), ...); };
  find(get_version, describe, take_last_error);
  int version = 0;
  if (get_version.function == nullptr || describe.function == nullptr ||
      take_last_error.function == nullptr || get_version(&version) != 0)
    return false;
  const int on_host = version < version_6 ? 0 : 1;
  return has_byte_at_page_edge(pages, [&](const std::byte* at) {
    PointerAttributes found{};
    const bool is_known = describe(&found, at) == 0;
    if (!is_known) take_last_error();
    return is_known && found.type == on_host;
  });
}

Result<std::unique_ptr<Devices>> open(KindContext& context) {
  return open_vendor(load, context);
}

}  // namespace gondwana::hip
