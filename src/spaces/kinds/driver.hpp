// The functions of a vendor's library for its devices: the part of a kind that differs between
// vendors. VendorDevice makes a Kind of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "spaces/kinds/kind.hpp"

namespace gondwana {

// Functions for one device. Thread-safe. Errors tell which call failed, and how.
class DriverDevice {
 public:
  // A position in the order of copies. It stands for all earlier copies.
  using Mark = void*;

  DriverDevice() = default;
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;
  // All copies must be complete.
  virtual ~DriverDevice() = default;

  virtual Result<std::byte*> allocate(std::size_t size) = 0;  // zeroed
  virtual Result<void> release(std::byte* memory) = 0;
  // Begins a copy, ordered after earlier ones. Both addresses must stay valid until it is complete.
  virtual Result<void> copy(std::byte* to, const std::byte* from, std::size_t size) = 0;
  virtual Mark mark() = 0;
  // Whether wait() would return soon.
  virtual bool has_passed(Mark mark) = 0;
  // Called once for each mark. Afterwards none of the copies is in flight, even after an error,
  // unless the device is lost. An error: some of them may have failed.
  virtual Result<void> wait(Mark mark) = 0;

  // Kind::pin(). False: another device of the driver, or the program, has already pinned it.
  virtual Result<bool> pin(MutableBytes /*host*/) { return false; }
  // Unpins memory that pin() has pinned.
  virtual void unpin(std::byte* /*host*/) {}

  // Shares memory within an allocation. May reduce `allocation` to the part that open() opens. The
  // last word of the handle is reserved for the caller.
  virtual Result<SharedHandle> share(Bytes memory, MutableBytes& allocation) = 0;
  virtual void unshare(const SharedHandle& /*handle*/) {}
  // The address of another process's allocation in this one, until close().
  virtual Result<std::byte*> open(const SharedHandle& handle) = 0;
  virtual void close(std::byte* opened) = 0;
};

// Thread-safe. Lives as long as the process, because its library is never unloaded.
class Driver {
 public:
  // An allocation on a device.
  struct Range {
    std::uint32_t device;
    MutableBytes memory;

    bool holds(Bytes part) const {
      const auto offset = static_cast<std::size_t>(part.data() - memory.data());
      return offset < memory.size() && part.size() <= memory.size() - offset;
    }
  };

  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  virtual KindId kind() const = 0;
  virtual std::uint32_t devices() const = 0;
  virtual Result<std::unique_ptr<DriverDevice>> open(std::uint32_t device) = 0;
  // The allocation that contains the address, by this library or by the program. Nothing: memory
  // that the processor may access, or that the driver does not know.
  virtual std::optional<Range> find(const void* address) = 0;
  // Whether one device can copy from and to the memory of the other.
  virtual bool reaches(const Kind& one, const Kind& other) const { return &one == &other; }
  // The device that the vendor's handle names, if the vendor has handles.
  virtual std::optional<std::uint32_t> number_of(const void* /*handle*/) const { return {}; }
};

}  // namespace gondwana
