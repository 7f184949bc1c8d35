// An emulated device: host memory that the processor may not access. Its addresses lead to pages
// without access rights, so a load or store faults if it is used in place of a copy. The device's
// copy engine, a thread, has the same memory at other addresses.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

#include "core/mapping.hpp"
#include "spaces/kinds/devices.hpp"

namespace gondwana {

class EmulatedDevice final : public Kind {
 public:
  // The context must outlive the device.
  EmulatedDevice(std::uint32_t number, KindContext& context)
      : number_(number), settings_(context.emulated), context_(context) {}
  // All copies must be complete.
  ~EmulatedDevice() override;

  DeviceId device() const override { return {KindId::emulated, number_}; }
  Result<MutableBytes> allocate(std::size_t size) override;
  bool release(std::byte* memory) override;
  bool holds(Bytes memory) const override { return find(memory).has_value(); }
  Result<SharedHandle> share(Bytes memory) const override;
  Result<MutableBytes> map(const SharedHandle& handle, std::size_t size) override;
  void unmap(MutableBytes memory) override;
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    Completion& done) override;
  void wait(Completion& done) override;

 private:
  // A block of device memory. `shown` has no access rights; `backing` maps the same bytes for the
  // engine.
  struct Block {
    Mapping shown;
    Mapping backing;
    UniqueFd file;  // for an allocation: peers open it
    bool is_own = false;
  };
  struct Found {
    std::shared_ptr<const Block> block;
    std::size_t offset;

    std::byte* data() const { return block->backing.data() + offset; }
  };
  // Holds the blocks until the engine has copied.
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t size;
    Completion* done;
    std::shared_ptr<const Block> one;
    std::shared_ptr<const Block> other;
  };

  std::optional<Found> find(Bytes memory) const;
  Result<MutableBytes> add(UniqueFd file, std::size_t size, std::size_t from, bool is_own);
  bool remove(std::byte* memory, bool is_own);
  bool is_at_once(std::size_t size) const;
  void submit(Copy copy);
  void run();
  void carry_out(const Copy& copy) const;

  std::uint32_t number_;
  EmulatedSettings settings_;
  KindContext& context_;

  mutable std::shared_mutex blocks_mutex_;                         // guards the members below
  std::map<std::uintptr_t, std::shared_ptr<const Block>> blocks_;  // by the end of `shown`
  std::size_t used_ = 0;

  std::mutex queue_mutex_;  // guards the members below
  std::condition_variable has_copies_;
  std::condition_variable has_finished_;
  std::deque<Copy> queue_;
  bool is_busy_ = false;  // the engine is copying
  bool ends_ = false;
  std::thread engine_;  // started by its first copy
};

}  // namespace gondwana
