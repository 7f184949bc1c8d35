#include "front/gasnet/device_transfers.hpp"

#include <sched.h>

#include <utility>

#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {
namespace {

StridedRun piece_of(const Remote& place, Bytes here) {
  return {.size = here.size(),
          .count = 1,
          .there = place.offset,
          .here = const_cast<std::byte*>(here.data())};
}

// A put or get with device memory on at least one side. It finishes Completions of a Batch.
class KindOperation final : public Operation {
 public:
  struct Completions {
    Completion& done;
    Completion& on_device;
    Completion* reading;  // null: the source may be reused
  };

  // `far`: the counter of transfers to and from other nodes; null: this one stays on its node.
  KindOperation(std::unique_ptr<KindWork> work, Lane& lane, Completions completions, CallName call,
                std::atomic<std::uint32_t>* far)
      : work_(std::move(work)), lane_(lane), completions_(completions), call_(call), far_(far) {
    if (far_ != nullptr) far_->fetch_add(1, std::memory_order_relaxed);
  }

  // The batch may be destroyed as soon as the last completion finishes.
  bool advance() override {
    const bool is_over = work_->advance();
    if (lane_.failed()) fail(lane_, call_);
    if (completions_.reading != nullptr && (is_over || work_->has_free_source()))
      std::exchange(completions_.reading, nullptr)->finish();
    if (!is_over) return false;
    if (far_ != nullptr) far_->fetch_sub(1, std::memory_order_relaxed);
    completions_.on_device.finish();
    completions_.done.finish();
    return true;
  }
  bool waits_for_network() const override { return far_ != nullptr; }

 private:
  std::unique_ptr<KindWork> work_;
  Lane& lane_;
  Completions completions_;
  CallName call_;
  std::atomic<std::uint32_t>* far_;
};

}  // namespace

DeviceTransfers::DeviceTransfers(Door& door, Engine& engine) : door_(door), engine_(engine) {
  if (engine.kinds().has_devices()) lane_ = make_lane(engine);
}

void DeviceTransfers::put(Remote to, Bytes source, CallName call) {
  move(strided::End::target, to.owner(), piece_of(to, source), call);
}

void DeviceTransfers::get(MutableBytes dest, Remote from, CallName call) {
  move(strided::End::source, from.owner(), piece_of(from, dest), call);
}

void DeviceTransfers::begin_put(Batch& batch, Remote to, Bytes source, CallName call) {
  KindAccess& by_kind = access(call);
  const bool is_far = make_room_for(to.rank, call);
  follow(batch, by_kind.start_put(*lane_, to.owner(), piece_of(to, source)), call, is_far);
}

void DeviceTransfers::begin_get(Batch& batch, MutableBytes dest, Remote from, CallName call) {
  KindAccess& by_kind = access(call);
  const bool is_far = make_room_for(from.rank, call);
  follow(batch, by_kind.start_get(*lane_, from.owner(), piece_of(from, dest)), call, is_far);
}

// Limits the transfers to other nodes, because each of them occupies host memory.
bool DeviceTransfers::make_room_for(Rank peer, CallName call) {
  constexpr std::uint32_t most = 64;
  if (engine_.rma().reach().covers(peer)) return false;
  const auto has_room = [&] { return far_.load(std::memory_order_relaxed) < most; };
  if (!has_room()) door_.progress().wait(call, has_room);
  return true;
}

// Null `work`: the operation is complete or has failed.
void DeviceTransfers::follow(Batch& batch, std::unique_ptr<KindWork> work, CallName call,
                             bool is_far) {
  if (lane_->failed()) fail(*lane_, call);
  if (work == nullptr) return;
  batch.done_.begin();
  batch.on_device_.begin();
  Completion* reading = work->has_free_source() ? nullptr : &batch.reading_;
  if (reading != nullptr) reading->begin();
  door_.progress().start(std::make_shared<KindOperation>(
      std::move(work), *lane_, KindOperation::Completions{batch.done_, batch.on_device_, reading},
      call, is_far ? &far_ : nullptr));
}

// A device of this node wakes no thread, so this thread polls, and yields its processor in between.
void DeviceTransfers::wait(const Batch& batch, CallName call, bool for_sources) {
  const auto is_free = [&] { return for_sources && batch.has_free_sources(); };
  if (batch.on_device_.done() || is_free()) return;
  if (door_.progress().waits_for_network())
    return door_.progress().wait(call, [&] { return batch.on_device_.done() || is_free(); });
  while (!batch.on_device_.done() && !is_free()) {
    door_.progress().poll();
    ::sched_yield();
  }
}

// A peer may use devices when this process does not.
KindAccess& DeviceTransfers::access(CallName call) {
  if (KindAccess* by_kind = engine_.kind_access(); by_kind != nullptr) [[likely]]
    return *by_kind;
  give_up(call,
          "the peer's segment is device memory, and this process uses no devices; set "
          "GONDWANA_EMULATED_DEVICES and GONDWANA_KINDS to the same values for all processes");
}

void DeviceTransfers::move(strided::End side, Space there, const StridedRun& run, CallName call) {
  KindAccess& by_kind = access(call);
  const bool is_ok = side == strided::End::target ? by_kind.put(*lane_, there, run)
                                                  : by_kind.get(*lane_, there, run);
  if (!is_ok) fail(*lane_, call);
}

std::uint64_t DeviceTransfers::request(Remote at, const AtomicRequest& request, CallName call) {
  const std::optional<std::uint64_t> old = access(call).request(*lane_, at, request);
  if (!old) fail(*lane_, call);
  return *old;
}

}  // namespace gondwana::gasnet
