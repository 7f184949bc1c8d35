// The devices of this process: a table as there is one of networks. A kind is a folder and a row in
// kinds.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/options.hpp"
#include "spaces/kinds/emulated.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana {

// Any thread.
class Kinds {
 public:
  struct Settings {
    std::uint32_t emulated_devices = 0;
    EmulatedSettings emulated = {};
  };
  static constexpr std::uint32_t most_emulated = 64;

  // No devices.
  Kinds() = default;
  explicit Kinds(const Options& options)
      : Kinds(Settings{
            options.emulated_devices,
            {options.emulated_memory, options.emulated_latency, options.emulated_bandwidth}}) {}
  explicit Kinds(const Settings& settings) : settings_(settings) {}

  // Whether this process has a device of any kind. If not, all memory is host memory.
  bool has_devices() const { return settings_.emulated_devices > 0; }
  std::uint32_t devices() const { return settings_.emulated_devices; }
  Result<Kind*> find(DeviceId device);
  // The device that the bytes lie on. Null: host memory.
  Kind* of(Bytes memory) const {
    return has_devices() && is_near_device(memory.data()) ? search(memory) : nullptr;
  }
  // Whether the address lies between the lowest and the highest that a device has had. Without a
  // lock.
  bool is_near_device(const void* address) const {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return place >= bounds_.low.load(std::memory_order_relaxed) &&
           place < bounds_.high.load(std::memory_order_relaxed);
  }

 private:
  Kind* search(Bytes memory) const;

  Settings settings_;
  DeviceBounds bounds_;
  std::mutex mutex_;  // guards owned_
  std::array<std::unique_ptr<Kind>, most_emulated> owned_;
  std::array<std::atomic<Kind*>, most_emulated> emulated_{};  // by number; null: not used yet
};

}  // namespace gondwana
