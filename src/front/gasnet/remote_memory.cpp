#include "front/gasnet/remote_memory.hpp"

#include <sched.h>

#include <utility>

#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

std::unique_ptr<Lane> make_lane(Engine& engine) {
  std::unique_ptr<Lane> lane = engine.make_lane(Threads::many);
  if (lane == nullptr)
    give_up("gex_Client_Init", "no lane to other nodes is free; destroy OpenSHMEM contexts");
  return lane;
}

void fail(Lane& lane, CallName call) {
  const std::optional<Error> error = lane.take_error();
  give_up(call, error ? error->text : "failed");
}

RemoteMemory::RemoteMemory(Door& door, Engine& engine) : engine_(engine), devices_(door, engine) {
  if (door.has_everything()) everything_.emplace(door);
  if (!engine.rma().reaches_all()) lane_ = make_lane(engine);
}

bool RemoteMemory::has_begun(RemoteAccess::Begun begun, CallName call) {
  if (begun != RemoteAccess::Begun::failed) return begun == RemoteAccess::Begun::pending;
  fail(*lane_, call);
}

void RemoteMemory::complete(Completion& done, CallName call) {
  if (!engine_.remote().complete(*lane_, done, call)) fail(*lane_, call);
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
  if (!at.owner().is_arena()) return devices_.request(at, request, call);
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
  if (batch.kept_ + source.size() > max_copied || batch.copies_.size() == max_copies) {
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
  devices_.wait(batch, call, false);
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
  devices_.wait(batch, call, true);
  if (everything_ || lane_ == nullptr) return;
  complete(batch.reading_, call);
}

}  // namespace gondwana::gasnet
