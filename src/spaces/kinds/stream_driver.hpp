// Drivers with streams, events and handles for other processes, as in CUDA and HIP. The functions
// that both have are in a table, filled by name.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "spaces/kinds/driver.hpp"
#include "spaces/kinds/driver_call.hpp"
#include "spaces/kinds/vendor_library.hpp"

namespace gondwana {

// A member for each function.
struct StreamCalls {
  using Object = void*;  // a stream or an event
  struct IpcHandle {
    std::array<char, 64> bytes;
  };

  DriverCall<void**, std::size_t> allocate;
  DriverCall<void*> release;
  DriverCall<void*, unsigned char, std::size_t, Object> fill;
  DriverCall<Object*, unsigned> make_stream;
  DriverCall<Object> synchronize_stream;
  DriverCall<Object> destroy_stream;
  DriverCall<Object*, unsigned> make_event;
  DriverCall<Object, Object> record_event;
  DriverCall<Object> query_event;
  DriverCall<Object> synchronize_event;
  DriverCall<Object> destroy_event;
  DriverCall<void*, std::size_t, unsigned> pin;
  DriverCall<void*> unpin;
  DriverCall<IpcHandle*, void*> get_handle;
  DriverCall<void**, IpcHandle, unsigned> open_handle;
  DriverCall<void*> close_handle;
  DriverCall<int*> exchange_mode;  // the capture mode of this thread; old drivers have none

  void find_in(VendorLibrary& library);
};

class StreamDriver : public Driver {
 public:
  explicit StreamDriver(const StreamCalls& calls) : calls_(calls) {}

  const StreamCalls& calls() const { return calls_; }
  Result<std::unique_ptr<DriverDevice>> open(std::uint32_t device) override;
  // All devices share one address space.
  bool reaches(const Kind& one, const Kind& other) const override {
    return one.device().kind == other.device().kind;
  }

  // Acquires the driver's resources of a device before its first use. release() frees them.
  virtual Result<void> retain(std::uint32_t device) = 0;
  virtual void release(std::uint32_t device) = 0;
  // Further calls in this thread are for the device, until leave(), which gets `before`.
  virtual Result<void> enter(std::uint32_t device, void*& before) = 0;
  virtual void leave(void* before) = 0;
  virtual Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                            StreamCalls::Object stream) = 0;
  virtual unsigned open_flags() const = 0;  // flags for open_handle
  // The functions of DriverDevice with these names, for a device that was entered.
  virtual Result<SharedHandle> share(Bytes memory, MutableBytes& allocation);
  virtual void unshare(const SharedHandle& /*handle*/) {}
  virtual Result<std::byte*> open_shared(const SharedHandle& handle, std::uint32_t device);
  virtual void close_shared(std::byte* opened);
  // An error unless the status means success.
  Result<void> check(const char* call, int status) const;

 protected:
  virtual std::string name_of_error(int status) const = 0;

  StreamCalls calls_;
};

}  // namespace gondwana
