// A kind of memory: which processors can touch it, and how bytes get in and out. One object is one
// device; host memory, which every process loads from and stores to, needs none.
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

// Kinds with a device, by number from 0.
struct DeviceId {
  KindId kind = KindId::host;
  std::uint32_t number = 0;

  bool operator==(const DeviceId&) const = default;
};

// "emulated:0", "host".
std::string name_of(DeviceId device);

// What a process of this node needs to map memory of another. Plain words: it lies in shared
// memory.
using SharedHandle = std::array<std::uint64_t, 12>;

// From the lowest address to the end of the highest. It never shrinks.
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

// The addresses of devices in this process. `possible` is everything where a driver must be asked:
// a program may have allocated memory of its device by itself.
struct DeviceBounds {
  AddressBounds possible;
  AddressBounds known;

  void include(Bytes memory) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    possible.include(begin, begin + memory.size());
    known.include(begin, begin + memory.size());
  }
};

// Any thread. Addresses of a device are numbers to everybody else: only copy() touches what is
// there.
class Kind {
 public:
  Kind() = default;
  Kind(const Kind&) = delete;
  Kind& operator=(const Kind&) = delete;
  virtual ~Kind() = default;

  virtual DeviceId device() const = 0;

  // Zeroed memory of this process, at least `size` bytes.
  virtual Result<MutableBytes> allocate(std::size_t size) = 0;
  // By where it begins. Copies to and from it are complete. False: allocate() has not returned it.
  virtual bool release(std::byte* memory) = 0;
  // Whether the bytes lie in one allocation of this process on this device, or in memory that it
  // has mapped.
  virtual bool holds(Bytes memory) const = 0;

  // Whether copy() takes memory of the other device, too.
  virtual bool reaches(const Kind& other) const { return this == &other; }

  // For peers of this node, of memory that this process has allocated. Until unshare(), once for
  // each handle: nobody maps it any more, or begins to.
  virtual Result<SharedHandle> share(Bytes memory) const = 0;
  virtual void unshare(const SharedHandle& /*handle*/) const {}
  // The memory of a peer: an address in this process, until unmap().
  virtual Result<MutableBytes> map(const SharedHandle& handle, std::size_t size) = 0;
  virtual void unmap(MutableBytes memory) = 0;

  // One side at least is of this device, the other one of one that it reaches, or of the host.
  // Calls done.begin() at once and, in wait() or test() at the latest, done.finish() when the bytes
  // are there. An aligned word of 1, 2, 4 or 8 bytes is written as a whole. Copies of one caller
  // are carried out in their order.
  virtual Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                            Completion& done) = 0;
  // Returns when all of them are. A copy that fails after it has begun fails the completion.
  virtual void wait(Completion& done) = 0;
  // The same without waiting: finishes those that are complete. Whether all are.
  virtual bool test(Completion& done) { return done.done(); }

  // Makes host memory of this process known to the driver, which then copies to and from it without
  // a buffer of its own: faster, and while other work goes on. Until unpin(), and it stays mapped
  // until then. Several devices may pin the same memory. Where a kind has no such call, and after
  // an error, copies are as before.
  virtual Result<void> pin(MutableBytes /*host*/) { return {}; }
  // By where it begins. Copies to and from it are complete.
  virtual void unpin(std::byte* /*host*/) {}

  // wait(), and why a copy has failed.
  Result<void> complete(Completion& done);
  // copy() and complete().
  Result<void> copy_now(std::byte* to, const std::byte* from, std::size_t size);
};

}  // namespace gondwana
