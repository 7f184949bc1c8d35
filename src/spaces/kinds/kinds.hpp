// The devices of this process: a table, like that of networks. A kind is a folder and a row in
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

// Thread-safe. A kind is opened when one of its devices is first needed.
class Kinds {
 public:
  static constexpr std::size_t max_kinds = 8;  // most rows of the table

  // No devices.
  Kinds() = default;
  explicit Kinds(const Options& options, ThreadListener on_threads = {});

  // Whether this process may have a device of any kind. If not, all memory is host memory.
  bool has_devices() const { return has_devices_; }
  // Device numbers start at 0 and count over all kinds in the order of the table. Opens all kinds.
  std::uint32_t devices();
  Result<Kind*> device(int number);
  int number_of(const Kind& kind);
  // Finds a device by its kind and its number in that kind.
  Result<Kind*> find(DeviceId device);
  // Finds a device by its vendor's handle.
  Result<Kind*> find(KindId kind, const void* handle);
  // The device that contains the bytes. Null: host memory.
  Kind* of(Bytes memory) {
    return has_devices() && is_near_device(memory.data()) ? search(memory) : nullptr;
  }
  // The same, but first opens a kind whose library the program uses. For memory that the program
  // may have allocated itself.
  Kind* owner_of(Bytes memory);
  // Opens the kinds that the program uses itself, and those that GONDWANA_KINDS names. Then all
  // calls recognize the program's own device memory. Called at points where a program may have
  // begun to use a device, never on a fast path. A process without devices pays nothing.
  void open_used() {
    if (has_devices()) open_all_used();
  }
  // Whether a device may have the address. Takes no lock. False: host memory.
  bool is_near_device(const void* address) const { return context_.bounds.possible.hold(address); }
  // Whether the address is between addresses that devices have had. For signal handlers.
  bool has_known(const void* address) const { return context_.bounds.known.hold(address); }

  // A kind of the table, for users.
  struct Listed {
    std::string name;
    std::uint32_t devices;
    std::string why_none;  // the reason if there are none
  };
  std::vector<Listed> list();

 private:
  // The state of a kind in this process.
  struct Present {
    bool is_possible = false;
    bool is_named = false;  // by GONDWANA_KINDS
    std::atomic<Devices*> opened{nullptr};
    std::unique_ptr<Devices> devices;  // guarded by mutex_, like the next member
    std::optional<Error> failure;      // the reason why it cannot be opened
  };

  Result<Devices*> open(std::size_t row);
  Kind* search(Bytes memory);
  void open_all_used();

  bool has_devices_ = false;
  KindContext context_;
  std::mutex mutex_;
  std::array<Present, max_kinds> present_;
};

}  // namespace gondwana
