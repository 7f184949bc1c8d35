// The devices of this process: a table as there is one of networks. A kind is a folder and a row in
// kinds.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "spaces/kinds/devices.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana {

// Any thread. A kind is opened when one of its devices is first needed.
class Kinds {
 public:
  static constexpr std::size_t most_kinds = 8;  // rows of the table, at most

  // No devices.
  Kinds() = default;
  explicit Kinds(const Options& options, ThreadListener on_threads = {});

  // Whether this process may have a device of any kind. If not, all memory is host memory.
  bool has_devices() const { return has_devices_; }
  // Devices have numbers from 0, over all kinds in the order of the table. Opens all kinds.
  std::uint32_t devices();
  Result<Kind*> device(int number);
  int number_of(const Kind& kind);
  // By its kind and its number among those.
  Result<Kind*> find(DeviceId device);
  // By the handle of a vendor.
  Result<Kind*> find(KindId kind, const void* handle);
  // The device that the bytes lie on. Null: host memory.
  Kind* of(Bytes memory) {
    return has_devices() && is_near_device(memory.data()) ? search(memory) : nullptr;
  }
  // The same; but a kind whose library the program uses is opened first. For memory that the
  // program may have allocated by itself.
  Kind* owner_of(Bytes memory);
  // Opens the kinds that the program uses by itself, and those that GONDWANA_KINDS names: from then
  // on all calls know its own memory. Called where a program may have come to use one, never where
  // time matters. A process without devices pays nothing.
  void open_used() {
    if (has_devices()) look_for_used();
  }
  // Whether a device may have the address. Without a lock; false: it is host memory.
  bool is_near_device(const void* address) const { return context_.bounds.possible.hold(address); }
  // Whether it lies between addresses that devices have had, for handlers of signals.
  bool has_known(const void* address) const { return context_.bounds.known.hold(address); }

  // For people: each kind of the table.
  struct Listed {
    std::string name;
    std::uint32_t devices;
    std::string why_none;  // where there are none
  };
  std::vector<Listed> list();

 private:
  // A kind of the table in this process.
  struct Present {
    bool is_possible = false;
    bool is_named = false;  // by GONDWANA_KINDS
    std::atomic<Devices*> opened{nullptr};
    std::unique_ptr<Devices> devices;  // guarded by mutex_, like what follows
    std::optional<Error> failure;      // why it cannot be opened
  };

  Result<Devices*> open(std::size_t row);
  Kind* search(Bytes memory);
  void look_for_used();

  bool has_devices_ = false;
  KindContext context_;
  std::mutex mutex_;
  std::array<Present, most_kinds> present_;
};

}  // namespace gondwana
