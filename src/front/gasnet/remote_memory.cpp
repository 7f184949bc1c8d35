#include "front/gasnet/remote_memory.hpp"

#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

RemoteMemory::RemoteMemory(Door& door, Engine& engine) : engine_(engine) {
  if (door.has_everything()) everything_.emplace(door);
  const auto make_lane = [&engine] {
    std::unique_ptr<Lane> lane = engine.make_lane(Threads::many);
    if (lane == nullptr)
      give_up("gex_Client_Init", "no lane to other nodes is left; destroy contexts of OpenSHMEM");
    return lane;
  };
  if (engine.kinds().has_devices()) device_lane_ = make_lane();
  if (!engine.rma().reaches_all()) lane_ = make_lane();
}

void RemoteMemory::put_by_kind(Remote to, Bytes source, CallName call) {
  move_by_kind(strided::End::target, to.owner(),
               {.size = source.size(),
                .count = 1,
                .there = to.offset,
                .here = const_cast<std::byte*>(source.data())},
               call);
}

void RemoteMemory::get_by_kind(MutableBytes dest, Remote from, CallName call) {
  move_by_kind(strided::End::source, from.owner(),
               {.size = dest.size(), .count = 1, .there = from.offset, .here = dest.data()}, call);
}

// Peers may have devices where this process has none.
KindAccess& RemoteMemory::kind_access(CallName call) {
  if (KindAccess* access = engine_.kind_access(); access != nullptr) [[likely]]
    return *access;
  give_up(call,
          "the segment of the peer is memory of a device, and this process uses no devices; set "
          "GONDWANA_EMULATED_DEVICES or GONDWANA_KINDS alike for all processes");
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
  if (everything_) return begin_put(batch, to, source, call, no_room);  // copies as well
  constexpr std::size_t most_copies = 1024;
  if (batch.kept_ + source.size() > most_copied || batch.copies_.size() == most_copies) {
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
  if (everything_) return everything_->wait(batch.done_, call);
  complete(batch.done_, call);
  complete(batch.reading_, call);
}

void RemoteMemory::wait_for_sources(Batch& batch, CallName call) {
  if (everything_) return;
  complete(batch.reading_, call);
}

}  // namespace gondwana::gasnet
