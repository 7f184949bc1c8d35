#include "front/gasnet/remote_memory.hpp"

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
    if (lane_.failed()) RemoteMemory::fail(lane_, call_);
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

RemoteMemory::RemoteMemory(Door& door, Engine& engine) : door_(door), engine_(engine) {
  if (door.has_everything()) everything_.emplace(door);
  const auto make_lane = [&engine] {
    std::unique_ptr<Lane> lane = engine.make_lane(Threads::many);
    if (lane == nullptr)
      give_up("gex_Client_Init", "no lane to other nodes is free; destroy OpenSHMEM contexts");
    return lane;
  };
  if (engine.kinds().has_devices()) device_lane_ = make_lane();
  if (!engine.rma().reaches_all()) lane_ = make_lane();
}

void RemoteMemory::put_by_kind(Remote to, Bytes source, CallName call) {
  move_by_kind(strided::End::target, to.owner(), piece_of(to, source), call);
}

void RemoteMemory::get_by_kind(MutableBytes dest, Remote from, CallName call) {
  move_by_kind(strided::End::source, from.owner(), piece_of(from, dest), call);
}

void RemoteMemory::begin_put_by_kind(Batch& batch, Remote to, Bytes source, CallName call) {
  KindAccess& access = kind_access(call);
  const bool is_far = make_room_for(to.rank, call);
  follow(batch, access.start_put(*device_lane_, to.owner(), piece_of(to, source)), call, is_far);
}

void RemoteMemory::begin_get_by_kind(Batch& batch, MutableBytes dest, Remote from, CallName call) {
  KindAccess& access = kind_access(call);
  const bool is_far = make_room_for(from.rank, call);
  follow(batch, access.start_get(*device_lane_, from.owner(), piece_of(from, dest)), call, is_far);
}

// Limits the transfers to other nodes, because each of them occupies host memory.
bool RemoteMemory::make_room_for(Rank peer, CallName call) {
  constexpr std::uint32_t most = 64;
  if (engine_.rma().reach().covers(peer)) return false;
  const auto has_room = [&] { return far_.load(std::memory_order_relaxed) < most; };
  if (!has_room()) door_.progress().wait(call, has_room);
  return true;
}

// Null `work`: the operation is complete or has failed.
void RemoteMemory::follow(Batch& batch, std::unique_ptr<KindWork> work, CallName call,
                          bool is_far) {
  if (device_lane_->failed()) fail(*device_lane_, call);
  if (work == nullptr) return;
  batch.done_.begin();
  batch.on_device_.begin();
  Completion* reading = work->has_free_source() ? nullptr : &batch.reading_;
  if (reading != nullptr) reading->begin();
  door_.progress().start(std::make_shared<KindOperation>(
      std::move(work), *device_lane_,
      KindOperation::Completions{batch.done_, batch.on_device_, reading}, call,
      is_far ? &far_ : nullptr));
}

// A device of this node wakes no thread, so this thread polls, and yields its processor in between.
void RemoteMemory::await_devices(const Batch& batch, CallName call, bool for_sources) {
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
KindAccess& RemoteMemory::kind_access(CallName call) {
  if (KindAccess* access = engine_.kind_access(); access != nullptr) [[likely]]
    return *access;
  give_up(call,
          "the peer's segment is device memory, and this process uses no devices; set "
          "GONDWANA_EMULATED_DEVICES and GONDWANA_KINDS to the same values for all processes");
}

void RemoteMemory::move_by_kind(strided::End side, Space there, const StridedRun& run,
                                CallName call) {
  KindAccess& access = kind_access(call);
  const bool is_well = side == strided::End::target ? access.put(*device_lane_, there, run)
                                                    : access.get(*device_lane_, there, run);
  if (!is_well) fail(*device_lane_, call);
}

bool RemoteMemory::has_begun(RemoteAccess::Begun begun, CallName call) {
  if (begun != RemoteAccess::Begun::failed) return begun == RemoteAccess::Begun::pending;
  fail(call);
}

void RemoteMemory::fail(Lane& lane, CallName call) {
  const std::optional<Error> error = lane.take_error();
  give_up(call, error ? error->text : "failed");
}

void RemoteMemory::complete(Completion& done, CallName call) {
  if (!engine_.remote().complete(*lane_, done, call)) fail(call);
}

bool RemoteMemory::put(Remote to, Bytes source, CallName call, NoRoom no_room) {
  Batch batch;
  if (!begin_put(batch, to, source, call, no_room)) return false;
  wait(batch, call);
  return true;
}

bool RemoteMemory::get(MutableBytes dest, Remote from, CallName call, NoRoom no_room) {
  Batch batch;
  if (!begin_get(batch, dest, from, call, no_room)) return false;
  wait(batch, call);
  return true;
}

std::optional<std::uint64_t> RemoteMemory::request(Remote at, const AtomicRequest& request,
                                                   CallName call, NoRoom no_room) {
  if (!at.owner().is_arena()) {
    const auto old = kind_access(call).request(*device_lane_, at, request);
    if (!old) fail(*device_lane_, call);
    return old;
  }
  if (!everything_) return request_in_arena(at, request, call, no_room);
  std::uint64_t old = 0;
  Completion done;
  if (!everything_->begin_request(done, at, request, old, call, no_room)) return std::nullopt;
  everything_->wait(done, call);
  return old;
}

std::optional<std::uint64_t> RemoteMemory::request_in_arena(Remote at, const AtomicRequest& request,
                                                            CallName call, NoRoom no_room) {
  std::uint64_t old = 0;
  Completion done;
  auto* bytes = reinterpret_cast<std::byte*>(&old);
  if (!has_begun(engine_.remote().begin_request(*lane_, at, request, bytes, done, no_room), call))
    return std::nullopt;
  complete(done, call);
  return old;
}

void RemoteMemory::get_from_arena(MutableBytes dest, Remote from, CallName call) {
  Completion done;
  has_begun(engine_.remote().begin_get(*lane_, dest, from, done, NoRoom::wait), call);
  complete(done, call);
}

bool RemoteMemory::begin_put(Completion& done, Remote to, Bytes source, CallName call,
                             NoRoom no_room) {
  return has_begun(engine_.remote().begin_put(*lane_, to, source, done, no_room), call);
}

bool RemoteMemory::begin_put(Batch& batch, Remote to, Bytes source, CallName call, NoRoom no_room) {
  if (everything_) return everything_->begin_put(batch.done_, to, source, call, no_room);
  Completion& done = engine_.remote().is_message(source.size()) ? batch.done_ : batch.reading_;
  return begin_put(done, to, source, call, no_room);
}

// Limits the copies, because a program may never wait.
bool RemoteMemory::begin_put_of_copy(Batch& batch, Remote to, Bytes source, CallName call,
                                     NoRoom no_room) {
  if (everything_) return begin_put(batch, to, source, call, no_room);  // it also copies
  constexpr std::size_t max_copies = 1024;
  if (batch.kept_ + source.size() > most_copied || batch.copies_.size() == max_copies) {
    if (no_room == NoRoom::refuse && !batch.is_done()) return false;
    wait(batch, call);
  }
  if (batch.is_done()) {
    batch.copies_.clear();
    batch.kept_ = 0;
  }
  if (!is_copied(source.size())) return put(to, source, call, no_room);
  const std::vector<std::byte>& copy = batch.copies_.emplace_back(source.begin(), source.end());
  if (!begin_put(batch.done_, to, copy, call, no_room)) {
    batch.copies_.pop_back();
    return false;
  }
  batch.kept_ += source.size();
  return true;
}

bool RemoteMemory::begin_get(Batch& batch, MutableBytes dest, Remote from, CallName call,
                             NoRoom no_room) {
  if (everything_) return everything_->begin_get(batch.done_, dest, from, call, no_room);
  return has_begun(engine_.remote().begin_get(*lane_, dest, from, batch.done_, no_room), call);
}

void RemoteMemory::wait(Batch& batch, CallName call) {
  await_devices(batch, call, false);
  if (batch.is_done() && lane_ == nullptr) return;
  if (everything_) return everything_->wait(batch.done_, call);
  if (lane_ == nullptr) {
    while (!batch.is_done()) ::sched_yield();  // another thread is about to finish it
    return;
  }
  complete(batch.done_, call);
  complete(batch.reading_, call);
}

void RemoteMemory::wait_for_sources(Batch& batch, CallName call) {
  await_devices(batch, call, true);
  if (everything_ || lane_ == nullptr) return;
  complete(batch.reading_, call);
}

}  // namespace gondwana::gasnet
