// An emulated device: host memory that the processor may not access. Its addresses lead to pages
// without access rights, so a load or store faults if it is used in place of a copy. The device's
// copy engine, a thread, has the same memory at other addresses.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "core/mapping.hpp"
#include "spaces/kinds/devices.hpp"
#include "spaces/kinds/emulated/copy_engine.hpp"

namespace gondwana {

class EmulatedDevice final : public Kind {
 public:
  // The context must outlive the device. All copies must be complete at its end.
  EmulatedDevice(std::uint32_t number, KindContext& context)
      : number_(number), settings_(context.emulated), context_(context), engine_(context) {}

  DeviceId device() const override { return {KindId::emulated, number_}; }
  Result<MutableBytes> allocate(std::size_t size) override;
  bool release(std::byte* memory) override;
  bool holds(Bytes memory) const override { return find(memory).has_value(); }
  Result<SharedHandle> share(Bytes memory) const override;
  Result<MutableBytes> map(const SharedHandle& handle, std::size_t size) override;
  void unmap(MutableBytes memory) override;
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    Completion& done) override;
  void wait(Completion& done) override { engine_.wait(done); }

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

  std::optional<Found> find(Bytes memory) const;
  Result<MutableBytes> add(UniqueFd file, std::size_t size, std::size_t from, bool is_own);
  bool remove(std::byte* memory, bool is_own);

  std::uint32_t number_;
  EmulatedSettings settings_;
  KindContext& context_;

  mutable std::shared_mutex blocks_mutex_;                         // guards the members below
  std::map<std::uintptr_t, std::shared_ptr<const Block>> blocks_;  // by the end of `shown`
  std::size_t used_ = 0;

  CopyEngine engine_;
};

}  // namespace gondwana
