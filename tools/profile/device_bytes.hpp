// Bytes that were copied to and from device memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gondwana::profile {

// The counts of one rank. Plain words, so that others can read them from the symmetric heap.
struct DeviceBytes {
  static constexpr std::size_t max_kinds = 8;

  struct Kind {
    std::array<char, 24> name;  // empty: no copies
    std::uint64_t to;
    std::uint64_t from;
  };

  std::array<Kind, max_kinds> kinds;
  std::uint64_t bounced;  // bytes that passed through host memory on the way

  // A kind has the same index on all ranks.
  void add(const DeviceBytes& other);
  // Returns the bytes that were moved since `earlier`.
  DeviceBytes since(const DeviceBytes& earlier) const;
};

// The bytes that this rank has moved since its process began.
DeviceBytes device_bytes_now();

// The bytes that all ranks have moved; empty if no device was used.
std::string as_text(const DeviceBytes& all);

}  // namespace gondwana::profile
