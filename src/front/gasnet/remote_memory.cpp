#include "front/gasnet/remote_memory.hpp"

#include "front/gasnet/door.hpp"

namespace gondwana::gasnet {

RemoteSegment segment_in(const SegmentDirectory& directory, gex_EP_Index_t endpoint) {
  if (endpoint >= most_endpoints) return {};
  const SharedSegment& shared = directory.segments[endpoint];
  const std::size_t size = shared.size.load(std::memory_order_acquire);  // pairs with learn()
  return {shared.owner.load(std::memory_order_relaxed),
          shared.offset.load(std::memory_order_relaxed), size,
          shared.space.load(std::memory_order_relaxed)};
}

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

std::shared_ptr<SegmentDirectory> RemoteMemory::known(std::uint32_t process) {
  const std::scoped_lock lock(mutex_);
  const auto found = directories_.find(process);
  return found == directories_.end() ? nullptr : found->second;
}

// Must not wait under the lock: a waiting thread runs handlers, which may call this function.
std::shared_ptr<SegmentDirectory> RemoteMemory::ask(std::uint32_t process) {
  constexpr auto call = "directory of a peer";
  const auto copy = std::make_shared<SegmentDirectory>();
  Completion done;
  has_begun(engine_.remote().begin_get(*lane_, std::as_writable_bytes(std::span(copy.get(), 1)),
                                       {Rank(process), system_area::segment_directory.offset}, done,
                                       NoRoom::wait),
            call);
  complete(done, call);
  const std::scoped_lock lock(mutex_);
  return directories_[process] = copy;
}

std::shared_ptr<const SegmentDirectory> RemoteMemory::directory(std::uint32_t process) {
  const std::shared_ptr<const SegmentDirectory> known = this->known(process);
  return known != nullptr ? known : ask(process);
}

RemoteSegment RemoteMemory::known_segment(std::uint32_t process, gex_EP_Index_t endpoint) {
  const std::shared_ptr<const SegmentDirectory> known = this->known(process);
  return known != nullptr ? segment_in(*known, endpoint) : RemoteSegment{};
}

RemoteSegment RemoteMemory::segment(std::uint32_t process, gex_EP_Index_t endpoint) {
  const RemoteSegment known = known_segment(process, endpoint);
  return known.size > 0 ? known : segment_in(*ask(process), endpoint);
}

void RemoteMemory::learn(std::uint32_t process, gex_EP_Index_t endpoint,
                         const RemoteSegment& segment) {
  const std::shared_ptr<SegmentDirectory> known = this->known(process);
  if (known == nullptr) return;  // the first use fetches it
  SharedSegment& shared = known->segments[endpoint];
  shared.owner.store(segment.owner, std::memory_order_relaxed);
  shared.offset.store(segment.offset, std::memory_order_relaxed);
  shared.space.store(segment.space, std::memory_order_relaxed);
  shared.size.store(segment.size, std::memory_order_release);  // pairs with segment_in()
}

}  // namespace gondwana::gasnet
