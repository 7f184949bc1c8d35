#include "spaces/space_table.hpp"

namespace gondwana {
std::optional<SpaceInfo> read_space(const SpaceRow& row) {
  const std::uint32_t version = row.version.load(std::memory_order_acquire);
  SpaceInfo info{.version = version,
                 .device = {static_cast<KindId>(row.kind.load(std::memory_order_relaxed)),
                            row.device.load(std::memory_order_relaxed)},
                 .process = row.process.load(std::memory_order_relaxed),
                 .size = row.size.load(std::memory_order_relaxed),
                 .address = row.address.load(std::memory_order_relaxed),
                 .handle = {}};
  for (std::size_t i = 0; i < info.handle.size(); ++i)
    info.handle[i] = row.handle[i].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (version % 2 != 0 || row.version.load(std::memory_order_relaxed) != version || info.size == 0)
    return std::nullopt;
  return info;
}

void write_space(SpaceRow& row, const SpaceInfo& info) {
  row.version.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  row.kind.store(static_cast<std::uint16_t>(info.device.kind), std::memory_order_relaxed);
  row.device.store(static_cast<std::uint16_t>(info.device.number), std::memory_order_relaxed);
  row.process.store(info.process, std::memory_order_relaxed);
  row.size.store(info.size, std::memory_order_relaxed);
  row.address.store(info.address, std::memory_order_relaxed);
  for (std::size_t i = 0; i < info.handle.size(); ++i)
    row.handle[i].store(info.handle[i], std::memory_order_relaxed);
  row.version.fetch_add(1, std::memory_order_release);  // pairs with read_space()
}

}  // namespace gondwana
