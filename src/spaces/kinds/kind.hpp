// A kind of memory: which processors can access it, and how bytes are copied in and out. One object
// represents one device. Host memory, which every process can load and store, needs none.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/completion.hpp"
#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

enum class KindId : std::uint32_t { host, cuda, hip, ze, emulated };

// Devices of a kind are numbered from 0.
struct DeviceId {
  KindId kind = KindId::host;
  std::uint32_t number = 0;

  bool operator==(const DeviceId&) const = default;
};

// "emulated:0", "host".
std::string name_of(DeviceId device);

// The data with which a process of this node can map memory of another. Plain words, because it is
// stored in shared memory.
using SharedHandle = std::array<std::uint64_t, 12>;

// From the lowest address to the highest end. Never shrinks.
struct AddressBounds {
  std::atomic<std::uintptr_t> low{~std::uintptr_t{0}};
  std::atomic<std::uintptr_t> high{0};

  void include(std::uintptr_t begin, std::uintptr_t end) {
    for (auto now = low.load(); begin < now && !low.compare_exchange_weak(now, begin);) continue;
    for (auto now = high.load(); end > now && !high.compare_exchange_weak(now, end);) continue;
  }
  bool hold(const void* address) const {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return place >= low.load(std::memory_order_relaxed) &&
           place < high.load(std::memory_order_relaxed);
  }
};

// The addresses of devices in this process. `possible` contains every address if a driver must be
// asked, because a program may have allocated device memory itself.
struct DeviceBounds {
  AddressBounds possible;
  AddressBounds known;

  void include(Bytes memory) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    possible.include(begin, begin + memory.size());
    known.include(begin, begin + memory.size());
  }
};

// Thread-safe. Only copy() accesses memory behind device addresses.
class Kind {
 public:
  Kind() = default;
  Kind(const Kind&) = delete;
  Kind& operator=(const Kind&) = delete;
  virtual ~Kind() = default;

  virtual DeviceId device() const = 0;

  // At least `size` bytes of zeroed memory of this process.
  virtual Result<MutableBytes> allocate(std::size_t size) = 0;
  // `memory` must be the start of an allocation, with all copies complete. False: not returned by
  // allocate().
  virtual bool release(std::byte* memory) = 0;
  // Whether the bytes are in one allocation of this process on this device, or in memory that it
  // has mapped.
  virtual bool holds(Bytes memory) const = 0;

  // Whether copy() also accepts memory of the other device.
  virtual bool reaches(const Kind& other) const { return this == &other; }

  // Shares memory of this process with peers of this node, until unshare(), which is called once
  // for each handle. Afterwards no process may map it.
  virtual Result<SharedHandle> share(Bytes memory) const = 0;
  virtual void unshare(const SharedHandle& /*handle*/) const {}
  // Maps a peer's memory at an address of this process, until unmap().
  virtual Result<MutableBytes> map(const SharedHandle& handle, std::size_t size) = 0;
  virtual void unmap(MutableBytes memory) = 0;

  // At least one side must be on this device. The other may be on a device that it reaches, or in
  // host memory. Calls done.begin() at once, and done.finish() when the bytes are there, at the
  // latest in wait() or test(). An aligned word of 1, 2, 4 or 8 bytes is written as a whole. Copies
  // of one caller are executed in order.
  virtual Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                            Completion& done) = 0;
  // Returns when all copies of `done` are complete. A copy that fails later fails the completion.
  virtual void wait(Completion& done) = 0;
  // The same without waiting. Returns whether all copies are complete.
  virtual bool test(Completion& done) { return done.done(); }

  // Pins host memory of this process, so that the driver copies to and from it without its own
  // buffer. This is faster, and other work can continue. The memory must stay mapped until unpin().
  // Several devices may pin the same memory. If a kind has no pinning, and after an error, copies
  // work as before.
  virtual Result<void> pin(MutableBytes /*host*/) { return {}; }
  // `host` must be the start of a pinned range, with all copies complete.
  virtual void unpin(std::byte* /*host*/) {}

  // wait(), and the error if a copy has failed.
  Result<void> complete(Completion& done);
  // copy() and complete().
  Result<void> copy_now(std::byte* to, const std::byte* from, std::size_t size);
};

}  // namespace gondwana
