#include "spaces/kinds/stream_driver.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace gondwana {
namespace {

constexpr unsigned non_blocking =
    1;  // flag of a stream: not ordered with the program's default stream
constexpr unsigned no_timing = 2;         // flag of an event
constexpr unsigned for_all_contexts = 1;  // flag of pinned memory
constexpr int out_of_memory = 2;
constexpr int not_ready = 600;
constexpr int already_pinned = 712;
constexpr int relaxed = 2;  // how captures of other threads restrict this one

class StreamDevice final : public DriverDevice {
 public:
  StreamDevice(StreamDriver& driver, std::uint32_t device) : driver_(driver), device_(device) {}
  ~StreamDevice() override;

  Result<void> start();
  Result<std::byte*> allocate(std::size_t size) override;
  Result<void> release(std::byte* memory) override;
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size) override;
  Mark mark() override;
  bool has_passed(Mark mark) override;
  Result<void> wait(Mark mark) override;
  Result<bool> pin(MutableBytes host) override;
  void unpin(std::byte* host) override;
  Result<SharedHandle> share(Bytes memory, MutableBytes& allocation) override;
  void unshare(const SharedHandle& handle) override { driver_.unshare(handle); }
  Result<std::byte*> open(const SharedHandle& handle) override;
  void close(std::byte* opened) override;

 private:
  // Makes the device current in this thread during its lifetime. Calls may wait then although
  // another thread captures a stream: otherwise they fail and invalidate the capture.
  class Entered {
   public:
    explicit Entered(StreamDevice& device)
        : driver_(device.driver_), entered_(driver_.enter(device.device_, before_)) {
      if (entered_) exchange_mode();
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered() {
      if (!entered_) return;
      exchange_mode();
      driver_.leave(before_);
    }

    // Calls the function if the device could be entered.
    template <typename... Parameters, typename... Arguments>
    Result<void> operator()(const DriverCall<Parameters...>& call, Arguments... arguments) const {
      return entered_ ? driver_.check(call.name, call(arguments...)) : entered_;
    }
    const Result<void>& result() const { return entered_; }

   private:
    void exchange_mode() {
      const auto& call = driver_.calls().exchange_mode;
      if (call.function != nullptr) call(&mode_);
    }

    StreamDriver& driver_;
    void* before_ = nullptr;
    int mode_ = relaxed;
    Result<void> entered_;
  };

  const StreamCalls& calls() const { return driver_.calls(); }
  Result<void> clear(const Entered& entered, void* memory, std::size_t size) const;
  Mark take_event(const Entered& entered);

  StreamDriver& driver_;
  std::uint32_t device_;
  bool is_retained_ = false;
  StreamCalls::Object stream_ = nullptr;
  std::mutex mutex_;          // guards the members below
  std::vector<Mark> events_;  // not in use
};

Result<void> StreamDevice::start() {
  if (const Result<void> retained = driver_.retain(device_); !retained) return retained;
  is_retained_ = true;
  return Entered(*this)(calls().make_stream, &stream_, non_blocking);
}

// At process exit the driver may have ended already. Errors cannot be reported.
StreamDevice::~StreamDevice() {
  if (!is_retained_) return;
  {
    const Entered entered(*this);
    if (stream_ != nullptr) static_cast<void>(entered(calls().synchronize_stream, stream_));
    for (Mark event : events_) static_cast<void>(entered(calls().destroy_event, event));
    if (stream_ != nullptr) static_cast<void>(entered(calls().destroy_stream, stream_));
  }
  driver_.release(device_);
}

Result<std::byte*> StreamDevice::allocate(std::size_t size) {
  const Entered entered(*this);
  void* memory = nullptr;
  if (const auto allocated = entered(calls().allocate, &memory, size); !allocated)
    return allocated.error();
  if (const Result<void> cleared = clear(entered, memory, size); !cleared) {
    static_cast<void>(entered(calls().release, memory));
    return cleared.error();
  }
  return static_cast<std::byte*>(memory);
}

Result<void> StreamDevice::clear(const Entered& entered, void* memory, std::size_t size) const {
  const auto begun = entered(calls().fill, memory, static_cast<unsigned char>(0), size, stream_);
  return begun ? entered(calls().synchronize_stream, stream_) : begun;
}

Result<void> StreamDevice::release(std::byte* memory) {
  return Entered(*this)(calls().release, memory);
}

Result<void> StreamDevice::copy(std::byte* to, const std::byte* from, std::size_t size) {
  const Entered entered(*this);
  return entered.result() ? driver_.copy(to, from, size, stream_) : entered.result();
}

// Null: no event is free, and none can be created.
DriverDevice::Mark StreamDevice::take_event(const Entered& entered) {
  const std::scoped_lock lock(mutex_);
  Mark event = nullptr;
  if (events_.empty()) {
    static_cast<void>(entered(calls().make_event, &event, no_timing));
    return event;
  }
  event = events_.back();
  events_.pop_back();
  return event;
}

// Null: no event is available, so wait() must wait for the whole stream.
DriverDevice::Mark StreamDevice::mark() {
  const Entered entered(*this);
  Mark event = take_event(entered);
  if (event == nullptr || entered(calls().record_event, event, stream_)) return event;
  const std::scoped_lock lock(mutex_);
  events_.push_back(event);
  return nullptr;
}

// wait() reports the errors.
bool StreamDevice::has_passed(Mark mark) {
  const Entered entered(*this);
  if (mark == nullptr || !entered.result()) return true;
  const int state = calls().query_event(mark);
  // These error numbers mean that another thread captures a stream and the driver is old.
  return state != not_ready && (state < 900 || state > 908);
}

// If the event fails, waits for the whole stream, because earlier copies may still be in flight.
Result<void> StreamDevice::wait(Mark mark) {
  const Entered entered(*this);
  if (mark == nullptr) return entered(calls().synchronize_stream, stream_);
  Result<void> waited = entered(calls().synchronize_event, mark);
  if (!waited) static_cast<void>(entered(calls().synchronize_stream, stream_));
  const std::scoped_lock lock(mutex_);
  events_.push_back(mark);
  return waited;
}

Result<bool> StreamDevice::pin(MutableBytes host) {
  const Entered entered(*this);
  if (!entered.result()) return entered.result().error();
  const int status = calls().pin(host.data(), host.size(), for_all_contexts);
  if (status == already_pinned) return false;
  const Result<void> pinned = driver_.check(calls().pin.name, status);
  return pinned ? Result<bool>(true) : pinned.error();
}

void StreamDevice::unpin(std::byte* host) {
  static_cast<void>(Entered(*this)(calls().unpin, host));
}

Result<SharedHandle> StreamDevice::share(Bytes memory, MutableBytes& allocation) {
  const Entered entered(*this);
  if (!entered.result()) return entered.result().error();
  return driver_.share(memory, allocation);
}

Result<std::byte*> StreamDevice::open(const SharedHandle& handle) {
  const Entered entered(*this);
  if (!entered.result()) return entered.result().error();
  return driver_.open_shared(handle, device_);
}

void StreamDevice::close(std::byte* opened) {
  const Entered entered(*this);
  if (entered.result()) driver_.close_shared(opened);
}

}  // namespace

void StreamCalls::find_in(VendorLibrary& library) {
  const auto find = [&](auto&... call) { (library.find(call.function, call.name), ...); };
  find(allocate, release, fill, make_stream, synchronize_stream, destroy_stream, make_event,
       record_event, query_event, synchronize_event, destroy_event, pin, unpin, get_handle,
       open_handle, close_handle);
  library.find_any(exchange_mode.function, exchange_mode.name);
}

Result<std::unique_ptr<DriverDevice>> StreamDriver::open(std::uint32_t device) {
  auto opened = std::make_unique<StreamDevice>(*this, device);
  if (const Result<void> started = opened->start(); !started) return started.error();
  return std::unique_ptr<DriverDevice>(std::move(opened));
}

Result<SharedHandle> StreamDriver::share(Bytes /*memory*/, MutableBytes& allocation) {
  StreamCalls::IpcHandle ipc{};
  const auto got = check(calls_.get_handle.name, calls_.get_handle(&ipc, allocation.data()));
  if (!got) return got.error();
  SharedHandle handle{};
  static_assert(sizeof(ipc) <= sizeof(handle) - sizeof(std::uint64_t));
  std::memcpy(handle.data(), &ipc, sizeof(ipc));
  return handle;
}

Result<std::byte*> StreamDriver::open_shared(const SharedHandle& handle, std::uint32_t /*device*/) {
  StreamCalls::IpcHandle ipc{};
  std::memcpy(&ipc, handle.data(), sizeof(ipc));
  void* memory = nullptr;
  const auto opened =
      check(calls_.open_handle.name, calls_.open_handle(&memory, ipc, open_flags()));
  return opened ? Result<std::byte*>(static_cast<std::byte*>(memory)) : opened.error();
}

void StreamDriver::close_shared(std::byte* opened) {
  calls_.close_handle(opened);
}

Result<void> StreamDriver::check(const char* call, int status) const {
  if (status == 0) return {};
  return Error{status == out_of_memory ? Errc::out_of_memory : Errc::refused,
               fmt::format("{}: {}", call, name_of_error(status))};
}

}  // namespace gondwana
