#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "spaces/kinds/descriptor_of_peer.hpp"
#include "spaces/kinds/vendor_device.hpp"
#include "spaces/kinds/vendor_library.hpp"
#include "spaces/kinds/ze/declarations.hpp"
#include "spaces/kinds/ze/open.hpp"

namespace gondwana::ze {
namespace {

constexpr std::uint32_t graphics_only = 1;
constexpr std::uint32_t on_device = 2;

std::string name_of_error(int status) {
  switch (static_cast<unsigned>(status)) {
    case 0x70000001:
      return "ZE_RESULT_ERROR_DEVICE_LOST";
    case 0x70000002:
      return "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY";
    case 0x70000003:
      return "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY";
    case 0x78000001:
      return "ZE_RESULT_ERROR_UNINITIALIZED";
    case 0x78000004:
      return "ZE_RESULT_ERROR_INVALID_ARGUMENT";
    case 0x78000009:
      return "ZE_RESULT_ERROR_UNSUPPORTED_SIZE";
    default:
      return fmt::format("error {:#x}", static_cast<unsigned>(status));
  }
}

bool is_out_of_memory(int status) {
  const auto error = static_cast<unsigned>(status);
  return error == 0x70000002 || error == 0x70000003 || error == 0x78000009;
}

Result<void> check(const char* call, int status) {
  if (status == 0) return {};
  return Error{is_out_of_memory(status) ? Errc::out_of_memory : Errc::refused,
               fmt::format("{}: {}", call, name_of_error(status))};
}

template <typename... Parameters, typename... Arguments>
Result<void> checked(const DriverCall<Parameters...>& call, Arguments... arguments) {
  return check(call.name, call(arguments...));
}

// A command list is used by one thread at a time, and its commands are complete when their calls
// return. So wait() has nothing to wait for.
class ZeDevice final : public DriverDevice {
 public:
  ZeDevice(const Calls& calls, Handle context, Handle device)
      : calls_(calls), context_(context), device_(device) {}
  ~ZeDevice() override {
    if (list_ != nullptr) calls_.destroy_list(list_);
  }

  Result<void> start() {
    const QueueDescription queue;
    return checked(calls_.make_list, context_, device_, &queue, &list_);
  }
  Result<std::byte*> allocate(std::size_t size) override;
  Result<void> release(std::byte* memory) override {
    return checked(calls_.release, context_, memory);
  }
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size) override {
    const std::scoped_lock lock(mutex_);
    return checked(calls_.copy, list_, to, from, size, nullptr, 0, nullptr);
  }
  Mark mark() override { return nullptr; }
  bool has_passed(Mark /*mark*/) override { return true; }
  Result<void> wait(Mark /*mark*/) override { return {}; }
  Result<SharedHandle> share(Bytes memory, MutableBytes& allocation) override;
  Result<std::byte*> open(const SharedHandle& handle) override;
  void close(std::byte* opened) override { calls_.close_handle(context_, opened); }

 private:
  const Calls& calls_;
  Handle context_;
  Handle device_;
  std::mutex mutex_;  // guards list_
  Handle list_ = nullptr;
};

Result<std::byte*> ZeDevice::allocate(std::size_t size) {
  const AllocationDescription plain;
  void* memory = nullptr;
  const auto made = checked(calls_.allocate, context_, &plain, size, 0, device_, &memory);
  if (!made) return made.error();
  constexpr unsigned char zero = 0;
  const std::scoped_lock lock(mutex_);
  const Result<void> cleared =
      checked(calls_.fill, list_, memory, &zero, sizeof(zero), size, nullptr, 0, nullptr);
  if (cleared) return static_cast<std::byte*>(memory);
  calls_.release(context_, memory);
  return cleared.error();
}

Result<SharedHandle> ZeDevice::share(Bytes /*memory*/, MutableBytes& allocation) {
  IpcHandle ipc{};
  if (const auto got = checked(calls_.get_handle, context_, allocation.data(), &ipc); !got)
    return got.error();
  SharedHandle handle{};
  std::memcpy(handle.data(), &ipc, sizeof(ipc));
  handle[process_word] = static_cast<std::uint64_t>(::getpid());
  return handle;
}

Result<std::byte*> ZeDevice::open(const SharedHandle& handle) {
  IpcHandle ipc{};
  std::memcpy(&ipc, handle.data(), sizeof(ipc));
  int descriptor = -1;
  std::memcpy(&descriptor, &ipc, sizeof(descriptor));
  const Result<UniqueFd> here = fetch_descriptor(handle[process_word], descriptor);
  if (!here) return here.error();
  descriptor = here->get();
  std::memcpy(&ipc, &descriptor, sizeof(descriptor));
  void* memory = nullptr;
  const auto opened = checked(calls_.open_handle, context_, device_, ipc, 0, &memory);
  return opened ? Result<std::byte*>(static_cast<std::byte*>(memory)) : opened.error();
}

class ZeDriver final : public Driver {
 public:
  Result<void> load();

  KindId kind() const override { return KindId::ze; }
  std::uint32_t devices() const override { return static_cast<std::uint32_t>(devices_.size()); }
  Result<std::unique_ptr<DriverDevice>> open(std::uint32_t device) override;
  std::optional<Range> find(const void* address) override;
  std::optional<std::uint32_t> number_of(const void* handle) const override;

 private:
  struct Device {
    Handle context;
    Handle handle;
  };

  Result<void> add_devices(Handle driver);

  Calls calls_;
  std::vector<Handle> contexts_;  // one for each driver
  std::vector<Device> devices_;
};

// Collects the handles of a call that first returns their number, and then the handles.
template <typename Call>
std::vector<Handle> list_of(const Call& call) {
  std::uint32_t count = 0;
  if (call(&count, nullptr) != 0) return {};
  std::vector<Handle> handles(count);
  if (count == 0 || call(&count, handles.data()) != 0) return {};
  return handles;
}

Result<void> ZeDriver::load() {
  Result<VendorLibrary> library =
      VendorLibrary::load(libraries, "Level Zero (libze1 on Debian) and the Intel driver");
  if (!library) return library.error();
  calls_.find_all([&](auto&... call) { (library->find(call.function, call.name), ...); });
  if (Result<void> complete = library->check(); !complete) return complete;
  if (Result<void> begun = checked(calls_.init, graphics_only); !begun) return begun;
  for (Handle driver : list_of([this](auto... out) { return calls_.get_drivers(out...); }))
    if (Result<void> added = add_devices(driver); !added) return added;
  return devices_.empty() ? Error{Errc::missing, "the driver has no device"} : Result<void>{};
}

Result<void> ZeDriver::add_devices(Handle driver) {
  const ContextDescription plain;
  Handle context = nullptr;
  if (Result<void> made = checked(calls_.make_context, driver, &plain, &context); !made)
    return made;
  contexts_.push_back(context);
  for (Handle device : list_of([&](auto... out) { return calls_.get_devices(driver, out...); })) {
    DeviceProperties found{};
    const bool is_graphics = calls_.describe_device(device, &found) == 0 && found.type == 1;
    if (is_graphics) devices_.push_back({context, device});
  }
  return {};
}

Result<std::unique_ptr<DriverDevice>> ZeDriver::open(std::uint32_t device) {
  const Device& found = devices_.at(device);
  auto opened = std::make_unique<ZeDevice>(calls_, found.context, found.handle);
  if (const Result<void> started = opened->start(); !started) return started.error();
  return std::unique_ptr<DriverDevice>(std::move(opened));
}

std::optional<Driver::Range> ZeDriver::find(const void* address) {
  for (Handle context : contexts_) {
    AllocationProperties found{};
    Handle device = nullptr;
    void* begin = nullptr;
    std::size_t size = 0;
    if (calls_.describe(context, address, &found, &device) != 0 || found.type != on_device)
      continue;
    const std::optional<std::uint32_t> number = number_of(device);
    if (!number || calls_.get_range(context, address, &begin, &size) != 0) continue;
    return Range{*number, {static_cast<std::byte*>(begin), size}};
  }
  return {};
}

std::optional<std::uint32_t> ZeDriver::number_of(const void* handle) const {
  const auto found = std::ranges::find(devices_, handle, &Device::handle);
  if (found == devices_.end()) return {};
  return static_cast<std::uint32_t>(found - devices_.begin());
}

// Called once in the life of the process.
Result<Driver*> load() {
  static const Result<Driver*> loaded = []() -> Result<Driver*> {
    auto driver = std::make_unique<ZeDriver>();
    if (const Result<void> done = driver->load(); !done)
      return Error{done.error().code, "ze: " + done.error().text};
    return driver.release();
  }();
  return loaded;
}

}  // namespace

// The device files of the driver exist on every machine with a display, so they indicate nothing.
bool is_here(const KindContext& /*context*/) {
  return false;
}

Result<std::unique_ptr<Devices>> open(KindContext& context) {
  return open_vendor(load, context);
}

}  // namespace gondwana::ze
