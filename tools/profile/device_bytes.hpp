// Bytes that copies moved to and from memory of devices.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gondwana::profile {

// Of one rank. Plain words, so that others read them from the symmetric heap.
struct DeviceBytes {
  static constexpr std::size_t most_kinds = 8;

  struct Kind {
    std::array<char, 24> name;  // empty: no copies
    std::uint64_t to;
    std::uint64_t from;
  };

  std::array<Kind, most_kinds> kinds;
  std::uint64_t bounced;  // that passed through host memory on their way

  // Those of a kind are at the same place on all ranks.
  void add(const DeviceBytes& other);
  // What has been moved since `earlier`.
  DeviceBytes since(const DeviceBytes& earlier) const;
};

// Of this rank, since its process began.
DeviceBytes device_bytes_now();

// Of all ranks; nothing where no device was used.
std::string as_text(const DeviceBytes& all);
// Members of an object in JSON, likewise.
std::string as_json(const DeviceBytes& all);

}  // namespace gondwana::profile
