// The CUDA driver functions in use, declared as in cuda.h, which is not needed to build. The names
// are symbol names. Without _v2, some of them are the 32-bit functions.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "core/mapping.hpp"
#include "spaces/kinds/cuda/open.hpp"
#include "spaces/kinds/pinned_memory.hpp"
#include "spaces/kinds/stream_driver.hpp"
#include "spaces/kinds/vendor_device.hpp"
#include "spaces/kinds/virtual_memory.hpp"

namespace gondwana::cuda {
namespace {

using Context = void*;
using Device = int;

constexpr const char* vendor = "the NVIDIA driver";  // what to install
constexpr int unified_addressing = 41;               // CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
constexpr unsigned lazy_peer_access = 1;
constexpr unsigned on_device = 2;  // CU_MEMORYTYPE_DEVICE

constexpr StreamCalls stream_calls{.allocate = {"cuMemAlloc_v2"},
                                   .release = {"cuMemFree_v2"},
                                   .fill = {"cuMemsetD8Async"},
                                   .make_stream = {"cuStreamCreate"},
                                   .synchronize_stream = {"cuStreamSynchronize"},
                                   .destroy_stream = {"cuStreamDestroy_v2"},
                                   .make_event = {"cuEventCreate"},
                                   .record_event = {"cuEventRecord"},
                                   .query_event = {"cuEventQuery"},
                                   .synchronize_event = {"cuEventSynchronize"},
                                   .destroy_event = {"cuEventDestroy_v2"},
                                   .pin = {"cuMemHostRegister_v2"},
                                   .unpin = {"cuMemHostUnregister"},
                                   .get_handle = {"cuIpcGetMemHandle"},
                                   .open_handle = {"cuIpcOpenMemHandle_v2"},
                                   .close_handle = {"cuIpcCloseMemHandle"},
                                   .exchange_mode = {"cuThreadExchangeStreamCaptureMode"}};

// Since CUDA 11.0.
constexpr VirtualCalls virtual_calls{.get_range = {"cuMemGetAddressRange_v2"},
                                     .retain = {"cuMemRetainAllocationHandle"},
                                     .release = {"cuMemRelease"},
                                     .share = {"cuMemExportToShareableHandle"},
                                     .open = {"cuMemImportFromShareableHandle"},
                                     .reserve = {"cuMemAddressReserve"},
                                     .unreserve = {"cuMemAddressFree"},
                                     .map = {"cuMemMap"},
                                     .unmap = {"cuMemUnmap"},
                                     .set_access = {"cuMemSetAccess"}};

// Most members are library functions that only CUDA has.
class CudaDriver final : public StreamDriver {
 public:
  CudaDriver() : StreamDriver(stream_calls) {}

  Result<void> load();

  KindId kind() const override { return KindId::cuda; }
  std::uint32_t devices() const override { return static_cast<std::uint32_t>(contexts_.size()); }
  std::optional<Range> find(const void* address) override;
  Result<void> retain(std::uint32_t device) override;
  void release(std::uint32_t device) override;
  Result<void> enter(std::uint32_t device, void*& before) override;
  void leave(void* before) override;
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    StreamCalls::Object stream) override;
  unsigned open_flags() const override { return lazy_peer_access; }
  Result<SharedHandle> share(Bytes memory, MutableBytes& allocation) override;
  void unshare(const SharedHandle& handle) override { VirtualMemory::unshare(handle); }
  Result<std::byte*> open_shared(const SharedHandle& handle, std::uint32_t device) override;
  void close_shared(std::byte* opened) override;

 private:
  std::string name_of_error(int status) const override;
  Result<Device> handle_of(std::uint32_t device) const;
  Result<void> wait_for_copies_of_the_program(MutableBytes allocation) const;
  bool is_of_pool(const std::byte* memory) const;

  DriverCall<unsigned> init_{"cuInit"};
  DriverCall<int*> get_count_{"cuDeviceGetCount"};
  DriverCall<Device*, int> get_device_{"cuDeviceGet"};
  DriverCall<int*, int, Device> get_attribute_{"cuDeviceGetAttribute"};
  DriverCall<Context*, Device> retain_{"cuDevicePrimaryCtxRetain"};
  DriverCall<Device> release_{"cuDevicePrimaryCtxRelease_v2"};
  DriverCall<Context> push_{"cuCtxPushCurrent_v2"};
  DriverCall<Context*> pop_{"cuCtxPopCurrent_v2"};
  DriverCall<void*, const void*, std::size_t, void*> copy_{"cuMemcpyAsync"};
  DriverCall<unsigned, int*, void**, const void*> describe_{"cuPointerGetAttributes"};
  DriverCall<const void*, int, const void*> set_attribute_{"cuPointerSetAttribute"};
  DriverCall<int, const char**> name_error_{"cuGetErrorName"};
  VirtualMemory virtual_memory_{*this, virtual_calls};

  // Primary contexts by device. All callers that retain a primary context get the same one.
  std::vector<std::atomic<Context>> contexts_;
};

Result<void> CudaDriver::load() {
  Result<VendorLibrary> library = VendorLibrary::load(libraries, vendor);
  if (!library) return library.error();
  const auto find_all = [&](auto&... call) { (library->find(call.function, call.name), ...); };
  find_all(init_, get_count_, get_device_, get_attribute_, retain_, release_, push_, pop_, copy_,
           describe_, set_attribute_, name_error_);
  calls_.find_in(*library);
  virtual_memory_.find_in(*library);
  if (Result<void> complete = library->check(); !complete) return complete;
  if (Result<void> begun = check(init_.name, init_(0)); !begun) return begun;
  int count = 0;
  if (Result<void> counted = check(get_count_.name, get_count_(&count)); !counted) return counted;
  contexts_ = std::vector<std::atomic<Context>>(static_cast<std::size_t>(count));
  return count > 0 ? Result<void>{} : Error{Errc::missing, "the driver has no device"};
}

std::string CudaDriver::name_of_error(int status) const {
  const char* name = nullptr;
  if (name_error_(status, &name) == 0 && name != nullptr) return name;
  return fmt::format("error {}", status);
}

// Excludes managed memory, which processors can access too.
std::optional<Driver::Range> CudaDriver::find(const void* address) {
  unsigned type = 0;
  unsigned is_managed = 0;
  int device = -1;
  void* begin = nullptr;
  std::size_t size = 0;
  std::array<int, 5> attributes{2, 8, 9, 11, 12};  // MEMORY_TYPE, IS_MANAGED, DEVICE_ORDINAL,
                                                   // RANGE_START_ADDR, RANGE_SIZE
  std::array<void*, 5> values{&type, &is_managed, &device, static_cast<void*>(&begin), &size};
  if (describe_(attributes.size(), attributes.data(), values.data(), address) != 0) return {};
  if (type != on_device || is_managed != 0 || device < 0) return {};
  return Range{static_cast<std::uint32_t>(device), {static_cast<std::byte*>(begin), size}};
}

// Old drivers do not know all attributes. With them all memory is from cuMemAlloc().
Result<SharedHandle> CudaDriver::share(Bytes memory, MutableBytes& allocation) {
  std::uint64_t context = 0;
  std::uint64_t has_handle = 0;
  std::uint64_t types = 0;
  std::array<int, 3> attributes{1, 10, 14};  // CONTEXT, IS_LEGACY_CUDA_IPC_CAPABLE,
                                             // ALLOWED_HANDLE_TYPES
  std::array<void*, 3> values{&context, &has_handle, &types};
  const bool is_known =
      describe_(attributes.size(), attributes.data(), values.data(), memory.data()) == 0;
  if (!is_known || has_handle != 0) {
    if (is_known && context == 0) return StreamDriver::share(memory, allocation);
    const Result<void> in_order = wait_for_copies_of_the_program(allocation);
    return in_order ? StreamDriver::share(memory, allocation) : in_order.error();
  }
  if (is_of_pool(memory.data()))
    return Error{Errc::refused,
                 "it is memory from cudaMallocAsync() or another CUDA pool, which other processes "
                 "cannot reach; allocate it with cudaMalloc()"};
  if ((types & VirtualMemory::type_of_handles) == 0)
    return Error{Errc::refused,
                 "it is memory from cuMemCreate() without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR "
                 "in its requestedHandleTypes; request that, or allocate it with cudaMalloc()"};
  return virtual_memory_.share(memory, allocation);
}

// Makes the program's copies to and from this memory synchronous from now on. Otherwise some return
// before the bytes are there, and a peer sees the previous contents. Memory without a context has
// no such attribute.
Result<void> CudaDriver::wait_for_copies_of_the_program(MutableBytes allocation) const {
  constexpr int sync_memops = 6;  // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
  constexpr unsigned yes = 1;
  return check(set_attribute_.name, set_attribute_(&yes, sync_memops, allocation.data()));
}

bool CudaDriver::is_of_pool(const std::byte* memory) const {
  int attribute = 17;  // CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
  std::uint64_t pool = 0;
  void* value = &pool;
  return describe_(1, &attribute, &value, memory) == 0 && pool != 0;
}

Result<std::byte*> CudaDriver::open_shared(const SharedHandle& handle, std::uint32_t device) {
  if (VirtualMemory::has_made(handle)) return virtual_memory_.open(handle, device);
  return StreamDriver::open_shared(handle, device);
}

void CudaDriver::close_shared(std::byte* opened) {
  if (!virtual_memory_.close(opened)) StreamDriver::close_shared(opened);
}

Result<Device> CudaDriver::handle_of(std::uint32_t device) const {
  Device handle = 0;
  const auto got = check(get_device_.name, get_device_(&handle, static_cast<int>(device)));
  return got ? Result<Device>(handle) : got.error();
}

Result<void> CudaDriver::retain(std::uint32_t device) {
  const Result<Device> handle = handle_of(device);
  if (!handle) return handle.error();
  int is_unified = 0;
  if (get_attribute_(&is_unified, unified_addressing, *handle) != 0 || is_unified == 0)
    return Error{Errc::refused, "it shares no address space with the host"};
  Context context = nullptr;
  Result<void> retained = check(retain_.name, retain_(&context, *handle));
  if (retained) contexts_.at(device).store(context, std::memory_order_release);
  return retained;
}

void CudaDriver::release(std::uint32_t device) {
  if (const Result<Device> handle = handle_of(device)) release_(*handle);
}

Result<void> CudaDriver::enter(std::uint32_t device, void*& /*before*/) {
  return check(push_.name, push_(contexts_.at(device).load(std::memory_order_acquire)));
}

void CudaDriver::leave(void* /*before*/) {
  Context context = nullptr;
  pop_(&context);
}

Result<void> CudaDriver::copy(std::byte* to, const std::byte* from, std::size_t size,
                              StreamCalls::Object stream) {
  return check(copy_.name, copy_(to, from, size, stream));
}

// Called once in the life of the process.
Result<Driver*> load() {
  static const Result<Driver*> loaded = []() -> Result<Driver*> {
    auto driver = std::make_unique<CudaDriver>();
    if (const Result<void> done = driver->load(); !done)
      return Error{done.error().code, "cuda: " + done.error().text};
    return driver.release();
  }();
  return loaded;
}

}  // namespace

// The device file of the driver, on Linux and in a Windows guest.
bool is_here(const KindContext& /*context*/) {
  return ::access("/dev/nvidiactl", F_OK) == 0 || ::access("/dev/dxg", F_OK) == 0;
}

bool is_used() {
  const Result<VendorLibrary> library = VendorLibrary::load(libraries, vendor);
  DriverCall<Context*> get_current{"cuCtxGetCurrent"};
  DriverCall<Device, unsigned*, int*> get_state{"cuDevicePrimaryCtxGetState"};
  DriverCall<int*> get_count{"cuDeviceGetCount"};
  DriverCall<Device*, int> get_device{"cuDeviceGet"};
  if (!library) return false;
  bool has_all = true;
  const auto find = [&](auto& call) {
    library->find_any(call.function, call.name);
    has_all = has_all && call.function != nullptr;
  };
  const auto find_all = [&](auto&... call) { (find(call), ...); };
  find_all(get_current, get_state, get_count, get_device);
  Context current = nullptr;
  int count = 0;
  if (!has_all || get_count(&count) != 0) return false;  // cuInit() was not called
  if (get_current(&current) == 0 && current != nullptr) return true;
  for (int number = 0; number < count; ++number) {
    Device device = 0;
    unsigned flags = 0;
    int is_active = 0;
    if (get_device(&device, number) == 0 && get_state(device, &flags, &is_active) == 0 &&
        is_active != 0)
      return true;
  }
  return false;
}

bool has_pinned(Bytes pages) {
  constexpr unsigned on_host = 1;  // CU_MEMORYTYPE_HOST; other host memory has no type
  const Result<VendorLibrary> library = VendorLibrary::load(libraries, vendor);
  DriverCall<unsigned, int*, void**, const void*> describe{"cuPointerGetAttributes"};
  if (library) library->find_any(describe.function, describe.name);
  if (describe.function == nullptr) return false;
  int attribute = 2;  // MEMORY_TYPE
  unsigned type = 0;
  void* value = &type;
  return has_byte_at_page_edge(pages, [&](const std::byte* at) {
    return describe(1, &attribute, &value, at) == 0 && type == on_host;
  });
}

Result<std::unique_ptr<Devices>> open(KindContext& context) {
  return open_vendor(load, context);
}

}  // namespace gondwana::cuda
