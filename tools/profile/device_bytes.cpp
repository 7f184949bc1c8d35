#include "device_bytes.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "library.hpp"

namespace gondwana::profile {

void DeviceBytes::add(const DeviceBytes& other) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].name[0] == 0) kinds[i].name = other.kinds[i].name;
    kinds[i].to += other.kinds[i].to;
    kinds[i].from += other.kinds[i].from;
  }
  bounced += other.bounced;
}

DeviceBytes DeviceBytes::since(const DeviceBytes& earlier) const {
  DeviceBytes moved = *this;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    moved.kinds[i].to -= earlier.kinds[i].to;
    moved.kinds[i].from -= earlier.kinds[i].from;
  }
  moved.bounced -= earlier.bounced;
  return moved;
}

DeviceBytes device_bytes_now() {
  DeviceBytes now{};
  const DeviceTraffic* traffic = device_traffic();
  if (traffic == nullptr) return now;
  for (std::size_t i = 0; i < now.kinds.size(); ++i) {
    const KindTraffic& kind = traffic->kinds.at(i);
    DeviceBytes::Kind& bytes = now.kinds[i];
    load_name(kind.kind).copy(bytes.name.data(), bytes.name.size() - 1);
    bytes.to = kind.to.load(std::memory_order_relaxed);
    bytes.from = kind.from.load(std::memory_order_relaxed);
  }
  now.bounced = traffic->bounced.load(std::memory_order_relaxed);
  return now;
}

std::string as_text(const DeviceBytes& all) {
  std::string text;
  for (const DeviceBytes::Kind& kind : all.kinds)
    if (kind.to + kind.from > 0)
      text += fmt::format("  {:<26} {:>16} {:>16}\n", kind.name.data(), kind.to, kind.from);
  if (text.empty()) return "";
  text = fmt::format("  {:<26} {:>16} {:>16}\n", "bytes of devices", "to", "from") + text;
  if (all.bounced > 0) text += fmt::format("  {:<26} {:>16}\n", "through host memory", all.bounced);
  return text;
}

}  // namespace gondwana::profile
