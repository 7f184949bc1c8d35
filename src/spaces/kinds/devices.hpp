// The devices of one kind in a process, and the data that they share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "spaces/kinds/kind.hpp"

namespace gondwana {

struct EmulatedSettings {
  std::uint32_t devices = 0;
  std::size_t memory = std::size_t{1} << 30;  // bytes per device, in each process
  std::uint32_t latency_us = 0;               // delay of each copy
  std::size_t bandwidth = 0;                  // bytes per second; 0: as fast as memory
};

// How the number of new threads is determined. exact: it is known. measured: by counting the
// threads of the process before and after, which may include new threads of the program.
enum class ThreadCount : std::uint8_t { exact, measured };
using ThreadListener = std::function<void(std::int32_t more, ThreadCount count)>;

// Shared by all kinds of a process, and outlives them.
struct KindContext {
  EmulatedSettings emulated = {};
  DeviceBounds bounds = {};
  // Called with the number of threads that a kind has started, or, if negative, ended. May be
  // empty.
  ThreadListener on_threads = {};

  void tell_of_threads(std::int32_t more, ThreadCount count) const {
    if (on_threads) on_threads(more, count);
  }
};

// Thread-safe.
class Devices {
 public:
  explicit Devices(std::uint32_t count) : made_(count), owned_(count) {}
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;
  virtual ~Devices() = default;

  std::uint32_t count() const { return static_cast<std::uint32_t>(made_.size()); }
  // `number` must be below count(). Creates the device on first use.
  Result<Kind*> device(std::uint32_t number);
  // The device that contains all of the bytes. Null: none of these.
  virtual Kind* of(Bytes memory);
  // The device that a vendor's handle names, if the vendor has handles.
  virtual std::optional<std::uint32_t> number_of(const void* /*handle*/) const { return {}; }

 private:
  virtual Result<std::unique_ptr<Kind>> make(std::uint32_t number) = 0;

  std::vector<std::atomic<Kind*>> made_;  // by number; null: not used yet
  std::mutex mutex_;                      // guards owned_
  std::vector<std::unique_ptr<Kind>> owned_;
};

}  // namespace gondwana
