// The Level Zero functions in use, declared as in ze_api.h since its version 1.0, which is not
// needed to build.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "spaces/kinds/driver_call.hpp"

namespace gondwana::ze {

using Handle = void*;  // of a driver, device, context or command list

// The start of every structure.
struct Header {
  std::uint32_t type;
  const void* next = nullptr;
};
struct DeviceProperties {
  Header header{3};
  std::uint32_t type;                  // 1: a graphics processor
  std::array<std::uint64_t, 64> rest;  // more than any version has
};
struct ContextDescription {
  Header header{0xd};
  std::uint32_t flags = 0;
};
struct QueueDescription {
  Header header{0xe};
  std::uint32_t group = 0;
  std::uint32_t index = 0;
  std::uint32_t flags = 0;
  std::uint32_t mode = 1;  // a command is complete when its call returns
  std::uint32_t priority = 0;
};
struct AllocationDescription {
  Header header{0x15};
  std::uint32_t flags = 0;
  std::uint32_t ordinal = 0;
};
struct AllocationProperties {
  Header header{0x17};
  std::uint32_t type;  // 2: on a device
  std::uint64_t id;
  std::uint64_t page_size;
};
// The handle begins with a descriptor number of the process that created it.
struct IpcHandle {
  std::array<char, 64> bytes;
};

// A member for each function.
struct Calls {
  DriverCall<std::uint32_t> init{"zeInit"};
  DriverCall<std::uint32_t*, Handle*> get_drivers{"zeDriverGet"};
  DriverCall<Handle, std::uint32_t*, Handle*> get_devices{"zeDeviceGet"};
  DriverCall<Handle, DeviceProperties*> describe_device{"zeDeviceGetProperties"};
  DriverCall<Handle, const ContextDescription*, Handle*> make_context{"zeContextCreate"};
  DriverCall<Handle, const AllocationDescription*, std::size_t, std::size_t, Handle, void**>
      allocate{"zeMemAllocDevice"};
  DriverCall<Handle, void*> release{"zeMemFree"};
  DriverCall<Handle, const void*, AllocationProperties*, Handle*> describe{
      "zeMemGetAllocProperties"};
  DriverCall<Handle, const void*, void**, std::size_t*> get_range{"zeMemGetAddressRange"};
  DriverCall<Handle, Handle, const QueueDescription*, Handle*> make_list{
      "zeCommandListCreateImmediate"};
  DriverCall<Handle> destroy_list{"zeCommandListDestroy"};
  DriverCall<Handle, void*, const void*, std::size_t, Handle, std::uint32_t, Handle*> copy{
      "zeCommandListAppendMemoryCopy"};
  DriverCall<Handle, void*, const void*, std::size_t, std::size_t, Handle, std::uint32_t, Handle*>
      fill{"zeCommandListAppendMemoryFill"};
  DriverCall<Handle, const void*, IpcHandle*> get_handle{"zeMemGetIpcHandle"};
  DriverCall<Handle, Handle, IpcHandle, std::uint32_t, void**> open_handle{"zeMemOpenIpcHandle"};
  DriverCall<Handle, const void*> close_handle{"zeMemCloseIpcHandle"};

  template <typename Find>
  void find_all(const Find& find) {
    find(init, get_drivers, get_devices, describe_device, make_context, allocate, release, describe,
         get_range, make_list, destroy_list, copy, fill, get_handle, open_handle, close_handle);
  }
};

}  // namespace gondwana::ze
