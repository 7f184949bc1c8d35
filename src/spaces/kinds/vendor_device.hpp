// A vendor's device as a kind: the part that is the same for all vendors.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <unordered_set>

#include "spaces/kinds/devices.hpp"
#include "spaces/kinds/driver.hpp"
#include "spaces/kinds/pending_copies.hpp"

namespace gondwana {

class VendorDevice final : public Kind {
 public:
  // The driver and the context must outlive the object.
  VendorDevice(Driver& driver, std::uint32_t number, std::unique_ptr<DriverDevice> calls,
               DeviceBounds& bounds);
  // Frees remaining memory, except in a forked child.
  ~VendorDevice() override;

  DeviceId device() const override { return {driver_.kind(), number_}; }
  Result<MutableBytes> allocate(std::size_t size) override;
  bool release(std::byte* memory) override;
  bool holds(Bytes memory) const override;
  bool reaches(const Kind& other) const override { return driver_.reaches(*this, other); }
  Result<SharedHandle> share(Bytes memory) const override;
  void unshare(const SharedHandle& handle) const override {
    if (check_process()) calls_->unshare(handle);
  }
  Result<MutableBytes> map(const SharedHandle& handle, std::size_t size) override;
  void unmap(MutableBytes memory) override;
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    Completion& done) override;
  void wait(Completion& done) override;
  bool test(Completion& done) override;
  Result<void> pin(MutableBytes host) override;
  void unpin(std::byte* host) override;

 private:
  // The mark that test() polls until it has passed.
  struct Tested {
    std::uint64_t last;  // number of the last copy before the mark
    DriverDevice::Mark mark;
  };

  Error failed(const std::string& what, const Error& why) const;
  Result<void> check_process() const;
  bool is_word_for_host(const std::byte* to, std::size_t size) const;
  void finish(std::uint64_t last, const Result<void>& waited);
  Result<void> begin(std::byte* to, const std::byte* from, std::size_t size, Completion& done);

  Driver& driver_;
  std::uint32_t number_;
  std::unique_ptr<DriverDevice> calls_;
  DeviceBounds& bounds_;
  int process_;  // drivers do not work in a forked child

  std::mutex memory_mutex_;                // guards the members below
  std::unordered_set<std::byte*> own_;     // returned by allocate()
  std::unordered_set<std::byte*> pinned_;  // by this device
  std::multimap<std::byte*, std::byte*>
      mapped_;  // returned by map() -> address at which the driver opened it

  std::mutex queue_mutex_;  // guards the members below
  PendingCopies copies_;
  std::optional<Tested> tested_;
};

// Opens the row of a vendor: all devices of a driver.
Result<std::unique_ptr<Devices>> open_vendor(Result<Driver*> (*load)(), KindContext& context);

}  // namespace gondwana
