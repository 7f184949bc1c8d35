// Memory of this process that may be a device's: calls move it as memory of its kind.
#pragma once

#include <cstring>

#include "engine/engine.hpp"

namespace gondwana::gasnet {

class DeviceMemory {
 public:
  DeviceMemory(Engine& engine, std::size_t most_medium, std::size_t most_long);

  // Whether this process uses devices.
  bool exists() const { return exists_; }
  // Cheap where no device can have the address.
  bool may_hold(const void* address) const {
    return exists_ && engine_.kinds().of({static_cast<const std::byte*>(address), 1}) != nullptr;
  }
  // Between two places of this process, each of which may be memory of a device.
  void copy(CallName call, void* to, const void* from, std::size_t size) const {
    if (exists_) [[unlikely]]
      return copy_by_kind(call, to, from, size);
    std::memcpy(to, from, size);
  }
  // Payloads of more bytes need a second look: they are too long, or may be memory of a device.
  std::size_t most_plain_medium() const { return most_plain_medium_; }
  std::size_t most_plain_long() const { return most_plain_long_; }

 private:
  void copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const;

  Engine& engine_;
  bool exists_;
  std::size_t most_plain_medium_;
  std::size_t most_plain_long_;
};

}  // namespace gondwana::gasnet
