// Device memory for tests. The processor faults if it touches it, so no copy bypasses the device.
// The devices are the first two of the process, of whatever kind: GONDWANA_EMULATED_DEVICES=2. If
// it has only one, that stands for both.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "front/shmem/buffers.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {

// Longs on a device of this rank, which the test accesses only through copies.
class OnDevice {
 public:
  OnDevice(World& world, std::size_t count, int device = 0)
      : kind_(**world.engine().kinds().device(
            std::min(device, static_cast<int>(world.engine().kinds().devices()) - 1))),
        memory_(*kind_.allocate(count * sizeof(long))),
        count_(count) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { kind_.release(memory_.data()); }

  long* data() const { return reinterpret_cast<long*>(memory_.data()); }
  long* at(std::size_t i) const { return data() + i; }
  std::size_t bytes() const { return count_ * sizeof(long); }
  long operator[](std::size_t i) const {
    long value = 0;
    EXPECT_TRUE(kind_.copy_now(reinterpret_cast<std::byte*>(&value),
                               reinterpret_cast<std::byte*>(at(i)), sizeof(value)));
    return value;
  }
  void write(std::span<const long> values) const {
    EXPECT_TRUE(kind_.copy_now(memory_.data(), std::as_bytes(values).data(), values.size_bytes()));
  }
  void fill(long first) const {
    std::vector<long> values(count_);
    std::iota(values.begin(), values.end(), first);
    write(values);
  }

 private:
  Kind& kind_;
  MutableBytes memory_;
  std::size_t count_;
};

#define NEEDS_DEVICES(world) \
  if (!(world).engine().kinds().has_devices()) GTEST_SKIP() << "no devices"

inline int give(World& world, void* address, std::size_t bytes) {
  return shmem::register_buffer(world.as("shmemx_buffer_register"), address, bytes);
}
inline int take_back(World& world, void* address) {
  return shmem::unregister_buffer(world.as("shmemx_buffer_unregister"), address);
}

inline long term(int rank, std::size_t i) {
  return 1'000'003L * rank + static_cast<long>(i);
}
inline std::vector<long> terms(int rank, std::size_t count) {
  std::vector<long> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = term(rank, i);
  return values;
}

}  // namespace gondwana::test
