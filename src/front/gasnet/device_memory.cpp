#include "front/gasnet/device_memory.hpp"

#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

DeviceMemory::DeviceMemory(Engine& engine, std::size_t max_medium, std::size_t max_long)
    : engine_(engine),
      exists_(engine.kinds().has_devices()),
      max_plain_medium_(exists_ ? 0 : max_medium),
      max_plain_long_(exists_ ? 0 : max_long) {}

void DeviceMemory::copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const {
  if (size == 0) return;
  const Result<void> copied = engine_.kind_access()->any_memory().copy(
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size);
  if (!copied) give_up(call, copied.error().text);
}

}  // namespace gondwana::gasnet
