#include "spaces/kinds/kinds.hpp"

#include <fmt/format.h>

namespace gondwana {

std::string name_of(DeviceId device) {
  return device.kind == KindId::host ? "host" : fmt::format("emulated:{}", device.number);
}

Result<void> Kind::copy_now(std::byte* to, const std::byte* from, std::size_t size) {
  Completion done;
  const Result<void> copied = copy(to, from, size, done);
  wait(done);
  return copied;
}

Result<Kind*> Kinds::find(DeviceId device) {
  if (device.kind != KindId::emulated)
    return Error{Errc::invalid_argument, fmt::format("{} is no device", name_of(device))};
  if (device.number >= settings_.emulated_devices)
    return Error{Errc::invalid_argument,
                 fmt::format("{}: this process has {} emulated device{}; set "
                             "GONDWANA_EMULATED_DEVICES",
                             name_of(device), settings_.emulated_devices,
                             settings_.emulated_devices == 1 ? "" : "s")};
  std::atomic<Kind*>& known = emulated_.at(device.number);
  if (Kind* kind = known.load(std::memory_order_acquire); kind != nullptr) return kind;
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Kind>& owner = owned_.at(device.number);
  if (owner == nullptr)
    owner = std::make_unique<EmulatedDevice>(device.number, settings_.emulated, bounds_);
  known.store(owner.get(), std::memory_order_release);  // pairs with search()
  return owner.get();
}

Kind* Kinds::search(Bytes memory) const {
  for (std::uint32_t i = 0; i < settings_.emulated_devices; ++i) {
    Kind* kind = emulated_.at(i).load(std::memory_order_acquire);
    if (kind != nullptr && kind->holds(memory)) return kind;
  }
  return nullptr;
}

}  // namespace gondwana
