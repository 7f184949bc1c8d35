#include "spaces/kinds/vendor_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/signals.hpp"
#include "operations/copy.hpp"
#include "spaces/kinds/host_memory.hpp"

namespace gondwana {
namespace {

// The word of a handle that contains the offset of the shared bytes in their allocation.
constexpr std::size_t offset_word = std::tuple_size_v<SharedHandle> - 1;

}  // namespace

VendorDevice::VendorDevice(Driver& driver, std::uint32_t number,
                           std::unique_ptr<DriverDevice> calls, DeviceBounds& bounds)
    : driver_(driver),
      number_(number),
      calls_(std::move(calls)),
      bounds_(bounds),
      process_(::getpid()) {}

VendorDevice::~VendorDevice() {
  if (!check_process()) {
    calls_.release();  // NOLINT(bugprone-unused-return-value): the driver is the parent's
    return;
  }
  // At exit the driver may have ended already. Then nothing is left to free.
  if (tested_) static_cast<void>(calls_->wait(tested_->mark));
  for (std::byte* memory : own_) static_cast<void>(calls_->release(memory));
  for (std::byte* host : pinned_) calls_->unpin(host);
}

Error VendorDevice::failed(const std::string& what, const Error& why) const {
  return {why.code, fmt::format("{} {}: {}", what, name_of(device()), why.text)};
}

Result<void> VendorDevice::check_process() const {
  if (::getpid() == process_) return {};
  return Error{
      Errc::refused,
      fmt::format("{}: this process was forked from the one that uses the device, and the driver "
                  "does not work in a child; use the device in the parent, or after exec()",
                  name_of(device()))};
}

Result<MutableBytes> VendorDevice::allocate(std::size_t size) {
  if (const Result<void> own = check_process(); !own) return own.error();
  const Result<std::byte*> memory = calls_->allocate(std::max<std::size_t>(size, 1));
  if (!memory) return failed(format_size(size) + " on", memory.error());
  const std::scoped_lock lock(memory_mutex_);
  own_.insert(*memory);
  const MutableBytes bytes(*memory, std::max<std::size_t>(size, 1));
  bounds_.include(bytes);
  return bytes;
}

bool VendorDevice::release(std::byte* memory) {
  {
    const std::scoped_lock lock(memory_mutex_);
    if (own_.erase(memory) == 0) return false;
  }
  if (check_process()) static_cast<void>(calls_->release(memory));
  return true;
}

bool VendorDevice::holds(Bytes memory) const {
  const std::optional<Driver::Range> range = driver_.find(memory.data());
  return range && range->device == number_ && range->holds(memory);
}

Result<SharedHandle> VendorDevice::share(Bytes memory) const {
  if (const Result<void> own = check_process(); !own) return own.error();
  const std::optional<Driver::Range> range = driver_.find(memory.data());
  if (!range || range->device != number_ || !range->holds(memory))
    return Error{Errc::invalid_argument,
                 fmt::format("{} at {} are not in one allocation of {}", format_size(memory.size()),
                             fmt::ptr(memory.data()), name_of(device()))};
  MutableBytes allocation = range->memory;
  Result<SharedHandle> handle = calls_->share(memory, allocation);
  if (!handle) return failed("cannot share memory of", handle.error());
  handle->at(offset_word) = static_cast<std::uint64_t>(memory.data() - allocation.data());
  return handle;
}

Result<MutableBytes> VendorDevice::map(const SharedHandle& handle, std::size_t size) {
  if (const Result<void> own = check_process(); !own) return own.error();
  const Result<std::byte*> opened = calls_->open(handle);
  if (!opened)
    return failed("cannot map memory of a peer on",
                  {opened.error().code, opened.error().text +
                                            "; the processes of a machine must see the same "
                                            "devices, in the same order"});
  const std::optional<Driver::Range> range = driver_.find(*opened);
  const std::uint64_t offset = handle[offset_word];
  if (!range || offset > range->memory.size() || size > range->memory.size() - offset) {
    calls_->close(*opened);
    return Error{Errc::refused, "the memory of a peer is shorter than its description says"};
  }
  const MutableBytes memory(*opened + offset, size);
  const std::scoped_lock lock(memory_mutex_);
  bounds_.include(memory);
  mapped_.emplace(memory.data(), *opened);
  return memory;
}

void VendorDevice::unmap(MutableBytes memory) {
  std::byte* opened = nullptr;
  {
    const std::scoped_lock lock(memory_mutex_);
    const auto found = mapped_.find(memory.data());
    if (found == mapped_.end()) return;
    opened = found->second;
    mapped_.erase(found);
  }
  if (check_process()) calls_->close(opened);
}

Result<void> VendorDevice::pin(MutableBytes host) {
  if (const Result<void> own = check_process(); !own) return own.error();
  const Result<bool> pinned = calls_->pin(host);
  if (!pinned)
    return failed(fmt::format("cannot pin {} of host memory for", format_size(host.size())),
                  pinned.error());
  const std::scoped_lock lock(memory_mutex_);
  if (*pinned) pinned_.insert(host.data());
  return {};
}

void VendorDevice::unpin(std::byte* host) {
  {
    const std::scoped_lock lock(memory_mutex_);
    if (pinned_.erase(host) == 0) return;
  }
  if (check_process()) calls_->unpin(host);
}

// Uses a separate store, because a driver may write host memory byte by byte, and a peer may poll a
// word.
bool VendorDevice::is_word_for_host(const std::byte* to, std::size_t size) const {
  return size <= sizeof(std::uint64_t) && (is_surely_host(to) || !driver_.find(to));
}

Result<void> VendorDevice::begin(std::byte* to, const std::byte* from, std::size_t size,
                                 Completion& done) {
  const std::scoped_lock lock(queue_mutex_);
  if (const Result<void> begun = calls_->copy(to, from, size); !begun)
    return failed(fmt::format("a copy of {} by", format_size(size)), begun.error());
  copies_.add(done);
  return {};
}

Result<void> VendorDevice::copy(std::byte* to, const std::byte* from, std::size_t size,
                                Completion& done) {
  if (size == 0) return {};
  if (const Result<void> own = check_process(); !own) return own.error();
  if (!is_word_for_host(to, size)) return begin(to, from, size, done);
  alignas(8) std::array<std::byte, 8> word{};
  Completion here;
  const Result<void> begun = begin(word.data(), from, size, here);
  const Result<void> completed = complete(here);
  if (!begun || !completed) return begun ? completed : begun;
  copy_to_peer(to, word.data(), size);
  return {};
}

// Also finishes earlier copies of other threads.
void VendorDevice::wait(Completion& done) {
  if (done.done()) return;
  std::unique_lock lock(queue_mutex_);
  const std::uint64_t last = copies_.last();
  const Result<void> own = check_process();
  const DriverDevice::Mark mark = own ? calls_->mark() : nullptr;
  lock.unlock();
  const Result<void> waited = own ? calls_->wait(mark) : own;
  lock.lock();
  finish(last, waited);
}

// Only one mark is tested at a time. Later copies wait for the next one.
bool VendorDevice::test(Completion& done) {
  if (done.done()) return true;
  const std::scoped_lock lock(queue_mutex_);
  if (const Result<void> own = check_process(); !own) {
    finish(copies_.last(), own);
    return done.done();
  }
  if (!tested_) tested_ = {copies_.last(), calls_->mark()};
  if (!calls_->has_passed(tested_->mark)) return done.done();
  finish(tested_->last, calls_->wait(tested_->mark));
  tested_.reset();
  return done.done();
}

void VendorDevice::finish(std::uint64_t last, const Result<void>& waited) {
  if (waited) return copies_.finish(last);
  copies_.fail(last, failed("copies by", waited.error()));
}

namespace {

class VendorDevices final : public Devices {
 public:
  VendorDevices(Driver& driver, KindContext& context)
      : Devices(driver.devices()), driver_(driver), context_(context) {
    context_.bounds.possible.include(
        0, ~std::uintptr_t{0});  // because the program may also allocate memory
  }

  // The driver's answer is not cached, because the program may free memory and get the same
  // addresses again for other memory, without our knowledge.
  Kind* of(Bytes memory) override {
    if (is_surely_host(memory.data())) return nullptr;
    const std::optional<Driver::Range> range = driver_.find(memory.data());
    if (!range || range->device >= count() || !range->holds(memory)) return nullptr;
    const Result<Kind*> kind = device(range->device);
    return kind ? *kind : nullptr;
  }
  std::optional<std::uint32_t> number_of(const void* handle) const override {
    return driver_.number_of(handle);
  }

 private:
  Result<std::unique_ptr<Kind>> make(std::uint32_t number) override;

  Driver& driver_;
  KindContext& context_;
};

// Threads that a vendor's library starts in `call` take no signals of the program, and are
// reported.
template <typename Call>
auto with_its_threads(const KindContext& context, const Call& call) {
  const SignalsBlocked of_the_program;
  const std::uint32_t before = own_threads();
  auto result = call();
  const std::uint32_t now = own_threads();
  if (now > before)
    context.tell_of_threads(static_cast<std::int32_t>(now - before), ThreadCount::measured);
  return result;
}

Result<std::unique_ptr<Kind>> VendorDevices::make(std::uint32_t number) {
  Result<std::unique_ptr<DriverDevice>> calls =
      with_its_threads(context_, [&] { return driver_.open(number); });
  if (!calls)
    return Error{calls.error().code,
                 fmt::format("{}: {}", name_of({driver_.kind(), number}), calls.error().text)};
  return std::unique_ptr<Kind>(
      std::make_unique<VendorDevice>(driver_, number, *std::move(calls), context_.bounds));
}

}  // namespace

Result<std::unique_ptr<Devices>> open_vendor(Result<Driver*> (*load)(), KindContext& context) {
  const Result<Driver*> driver = with_its_threads(context, load);
  if (!driver) return driver.error();
  return std::unique_ptr<Devices>(std::make_unique<VendorDevices>(**driver, context));
}

}  // namespace gondwana
