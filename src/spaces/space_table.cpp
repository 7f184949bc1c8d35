#include "spaces/space_table.hpp"

namespace gondwana {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

std::optional<SpaceInfo> read_space(const SpaceRow& row) {
  const std::uint32_t version = row.version.load(std::memory_order_acquire);
  SpaceInfo info{.version = version,
                 .device = {static_cast<KindId>(row.kind.load(relaxed)), row.device.load(relaxed)},
                 .process = row.process.load(relaxed),
                 .size = row.size.load(relaxed),
                 .address = row.address.load(relaxed),
                 .handle = {}};
  for (std::size_t i = 0; i < info.handle.size(); ++i) info.handle[i] = row.handle[i].load(relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (version % 2 != 0 || row.version.load(relaxed) != version || info.size == 0)
    return std::nullopt;
  return info;
}

void write_space(SpaceRow& row, const SpaceInfo& info) {
  row.version.fetch_add(1, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  row.kind.store(static_cast<std::uint16_t>(info.device.kind), relaxed);
  row.device.store(static_cast<std::uint16_t>(info.device.number), relaxed);
  row.process.store(info.process, relaxed);
  row.size.store(info.size, relaxed);
  row.address.store(info.address, relaxed);
  for (std::size_t i = 0; i < info.handle.size(); ++i) row.handle[i].store(info.handle[i], relaxed);
  row.version.fetch_add(1, std::memory_order_release);  // pairs with read_space()
}

}  // namespace gondwana
