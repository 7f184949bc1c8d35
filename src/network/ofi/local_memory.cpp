#include "network/ofi/local_memory.hpp"

#include <iterator>

namespace gondwana::ofi {

Result<void> LocalMemory::keep(Bytes memory) {
  constexpr std::uint64_t any_use = FI_SEND | FI_RECV | FI_READ | FI_WRITE;
  Result<Registration> registration = registrar_.make(memory, any_use);
  if (!registration) return registration.error();
  kept_.insert_or_assign(memory.data(), Kept{memory.size(), *std::move(registration)});
  return {};
}

Result<void*> LocalMemory::descriptor(Bytes memory, std::uint64_t access, const void* operation) {
  if (memory.empty()) return nullptr;
  if (auto after = kept_.upper_bound(memory.data()); after != kept_.begin()) {
    const auto& [begin, kept] = *std::prev(after);
    if (memory.data() + memory.size() <= begin + kept.size)
      return fi_mr_desc(kept.registration.handle.get());
  }
  Result<Registration> registration = registrar_.make(memory, access);
  if (!registration) return registration.error();
  const Registration& lent = lent_[operation] = *std::move(registration);
  return fi_mr_desc(lent.handle.get());
}

}  // namespace gondwana::ofi
