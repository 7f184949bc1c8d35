// Memory that a program creates and maps in two steps, as with cuMemCreate() and cuMemMap(). The
// driver shares it by descriptors, not by handles as other memory.
#pragma once

#include <map>
#include <mutex>

#include "spaces/kinds/stream_driver.hpp"

namespace gondwana {

// A table like StreamCalls.
struct VirtualCalls {
  using Address = unsigned long long;
  using Handle = unsigned long long;
  struct Access {
    int kind_of_place = 1;  // a device
    int device = 0;
    int rights = 3;  // read and write
  };

  DriverCall<Address*, std::size_t*, Address> get_range;  // of one mapping
  DriverCall<Handle*, const void*> retain;
  DriverCall<Handle> release;
  DriverCall<void*, Handle, int, Handle> share;
  DriverCall<Handle*, void*, int> open;
  DriverCall<Address*, std::size_t, std::size_t, Address, Handle> reserve;
  DriverCall<Address, std::size_t> unreserve;
  DriverCall<Address, std::size_t, std::size_t, Handle, Handle> map;
  DriverCall<Address, std::size_t> unmap;
  DriverCall<Address, std::size_t, const Access*, std::size_t> set_access;

  // Whether the library has all of them.
  bool find_in(const VendorLibrary& library);
};

// Thread-safe.
class VirtualMemory {
 public:
  static constexpr int type_of_handles = 1;  // descriptors

  // `driver` checks the results of calls, and must outlive the object.
  VirtualMemory(const StreamDriver& driver, const VirtualCalls& calls)
      : driver_(driver), calls_(calls) {}

  // An old driver has neither these functions nor this kind of memory.
  void find_in(const VendorLibrary& library) { is_here_ = calls_.find_in(library); }

  // The functions of DriverDevice with these names.
  Result<SharedHandle> share(Bytes memory, MutableBytes& allocation) const;
  static bool has_made(const SharedHandle& handle);
  static void unshare(const SharedHandle& handle);
  // Every capable device of the process gets access. Access by `device` is required.
  Result<std::byte*> open(const SharedHandle& handle, std::uint32_t device);
  // False: not returned by open().
  bool close(std::byte* opened);

 private:
  using Address = VirtualCalls::Address;
  using Handle = VirtualCalls::Handle;

  template <typename... Parameters, typename... Arguments>
  Result<void> checked(const DriverCall<Parameters...>& call, Arguments... arguments) const {
    return driver_.check(call.name, call(arguments...));
  }
  Result<Handle> fetch(const SharedHandle& handle) const;
  Result<void> map(Address address, std::size_t size, Handle memory, std::uint32_t device) const;

  const StreamDriver& driver_;
  VirtualCalls calls_;
  bool is_here_ = false;

  std::mutex mutex_;  // guards opened_
  std::map<std::byte*, std::size_t> opened_;
};

}  // namespace gondwana
