// Memory of this process that may belong to a device. Calls move it by the kind of its memory.
#pragma once

#include <cstring>

#include "engine/engine.hpp"

namespace gondwana::gasnet {

class DeviceMemory {
 public:
  DeviceMemory(Engine& engine, std::size_t max_medium, std::size_t max_long);

  // Whether this process uses devices.
  bool exists() const { return exists_; }
  // Cheap if no device can own the address.
  bool may_hold(const void* address) const {
    return exists_ && engine_.kinds().of({static_cast<const std::byte*>(address), 1}) != nullptr;
  }
  // Copies within this process. Either side may be device memory.
  void copy(CallName call, void* to, const void* from, std::size_t size) const {
    if (exists_) [[unlikely]]
      return copy_by_kind(call, to, from, size);
    std::memcpy(to, from, size);
  }
  // Larger payloads need a full check: they may be too long, or in device memory.
  std::size_t max_plain_medium() const { return max_plain_medium_; }
  std::size_t max_plain_long() const { return max_plain_long_; }

 private:
  void copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const;

  Engine& engine_;
  bool exists_;
  std::size_t max_plain_medium_;
  std::size_t max_plain_long_;
};

}  // namespace gondwana::gasnet
