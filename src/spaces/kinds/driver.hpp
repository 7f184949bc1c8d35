// What the library of a vendor does for its devices: the part of a kind that differs from vendor to
// vendor. VendorDevice makes a Kind of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "spaces/kinds/kind.hpp"

namespace gondwana {

// Calls for one device. Any thread. Errors say which call failed, and how.
class DriverDevice {
 public:
  // All copies before it in the order in which they began.
  using Mark = void*;

  DriverDevice() = default;
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;
  // Copies are complete.
  virtual ~DriverDevice() = default;

  virtual Result<std::byte*> allocate(std::size_t size) = 0;  // zeroed
  virtual Result<void> release(std::byte* memory) = 0;
  // Begins a copy, after those before it. Both addresses stay valid until it is complete.
  virtual Result<void> copy(std::byte* to, const std::byte* from, std::size_t size) = 0;
  virtual Mark mark() = 0;
  // Whether a wait for it would return soon.
  virtual bool has_passed(Mark mark) = 0;
  // Once for each mark. None of the copies is under way any more, whatever it returns, unless the
  // device is lost. An error: some of them may have failed.
  virtual Result<void> wait(Mark mark) = 0;

  // Kind::pin(). False: another device of the driver, or the program, has done so before.
  virtual Result<bool> pin(MutableBytes /*host*/) { return false; }
  // What pin() has pinned.
  virtual void unpin(std::byte* /*host*/) {}

  // Of memory in an allocation, which it may make smaller: that is what open() opens. The last word
  // of the handle is not theirs.
  virtual Result<SharedHandle> share(Bytes memory, MutableBytes& allocation) = 0;
  virtual void unshare(const SharedHandle& /*handle*/) {}
  // Where the allocation of another process begins in this one, until close().
  virtual Result<std::byte*> open(const SharedHandle& handle) = 0;
  virtual void close(std::byte* opened) = 0;
};

// Any thread. Lives as long as the process: its library is never unloaded.
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
  // The allocation that the address lies in, of this library or of the program. Nothing: memory
  // that the processor may touch, or that the driver does not know.
  virtual std::optional<Range> find(const void* address) = 0;
  // Whether one device copies from and to the memory of another.
  virtual bool reaches(const Kind& one, const Kind& other) const { return &one == &other; }
  // The device that the vendor's handle names, where the vendor has handles.
  virtual std::optional<std::uint32_t> number_of(const void* /*handle*/) const { return {}; }
};

}  // namespace gondwana
