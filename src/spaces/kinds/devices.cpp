#include "spaces/kinds/devices.hpp"

namespace gondwana {

Result<Kind*> Devices::device(std::uint32_t number) {
  std::atomic<Kind*>& known = made_.at(number);
  if (Kind* kind = known.load(std::memory_order_acquire); kind != nullptr) return kind;
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Kind>& owner = owned_.at(number);
  if (owner == nullptr) {
    Result<std::unique_ptr<Kind>> made = make(number);
    if (!made) return made.error();
    owner = *std::move(made);
    known.store(owner.get(), std::memory_order_release);  // pairs with the loads here
  }
  return owner.get();
}

Kind* Devices::of(Bytes memory) {
  for (const std::atomic<Kind*>& each : made_) {
    Kind* kind = each.load(std::memory_order_acquire);
    if (kind != nullptr && kind->holds(memory)) return kind;
  }
  return nullptr;
}

}  // namespace gondwana
