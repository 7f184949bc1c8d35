// Operations on memory that loads and stores do not reach. GASNet has no code for network errors,
// so such errors end the job with a message.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "engine/rma/far_pieces.hpp"
#include "front/gasnet/message_memory.hpp"
#include "front/gasnet/objects.hpp"
#include "operations/strided/transfer.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::gasnet {

// What a call with these flags does if the queue is full.
inline RemoteAccess::NoRoom without_room(gex_Flags_t flags) {
  return (flags & GEX_FLAG_IMMEDIATE) != 0 ? RemoteAccess::NoRoom::refuse
                                           : RemoteAccess::NoRoom::wait;
}

// Operations in flight, and the copies of their sources. The owner must wait for completion.
class Batch {
 public:
  bool is_done() const { return done_.done() && reading_.done(); }
  // Whether the client may use all sources again: local completion.
  bool has_free_sources() const { return reading_.done(); }

 private:
  friend class RemoteMemory;

  Completion done_;
  Completion reading_;    // puts that read the client's memory until they complete
  Completion on_device_;  // the part of done_ that devices carry out: they wake no thread
  std::size_t kept_ = 0;  // total bytes in copies_
  std::vector<std::vector<std::byte>> copies_;
};

// All functions are thread-safe. Only the functions named by_kind accept a Remote in device memory.
class RemoteMemory {
 public:
  RemoteMemory(Door& door, Engine& engine);
  // Null: the network and the agents carry out the operations, and a Remote is an offset in an
  // arena.
  const MessageMemory* everything() const { return everything_ ? &*everything_ : nullptr; }
  // Other components share this lane. Null: all ranks are within reach.
  Lane* lane() const { return lane_.get(); }

  // Calls return false or nothing if the queue was full. Then they had no effect.
  using NoRoom = RemoteAccess::NoRoom;

  // Returns whether the operation has begun. Ends the job if it failed.
  bool has_begun(RemoteAccess::Begun begun, CallName call);
  [[noreturn]] static void fail(Lane& lane, CallName call);
  [[noreturn]] void fail(CallName call) { fail(*lane_, call); }
  void complete(Completion& done, CallName call);
  // These calls return when the operation is complete.
  bool put(Remote to, Bytes source, CallName call, NoRoom no_room = NoRoom::wait);
  bool get(MutableBytes dest, Remote from, CallName call, NoRoom no_room = NoRoom::wait);
  std::optional<std::uint64_t> request(Remote at, const AtomicRequest& request, CallName call,
                                       NoRoom no_room = NoRoom::wait);
  // The same in the arena of a rank, even with GASNET_SEGMENT_EVERYTHING.
  std::optional<std::uint64_t> request_in_arena(Remote at, const AtomicRequest& request,
                                                CallName call, NoRoom no_room = NoRoom::wait);
  void get_from_arena(MutableBytes dest, Remote from, CallName call);

  // These calls return with the operation in flight. The batch owns the buffer until it is done.
  // The client may reuse the buffer of begin_put_of_copy() at once.
  bool begin_put(Batch& batch, Remote to, Bytes source, CallName call,
                 NoRoom no_room = NoRoom::wait);
  bool begin_put_of_copy(Batch& batch, Remote to, Bytes source, CallName call,
                         NoRoom no_room = NoRoom::wait);
  bool begin_get(Batch& batch, MutableBytes dest, Remote from, CallName call,
                 NoRoom no_room = NoRoom::wait);
  void wait(Batch& batch, CallName call);
  void wait_for_sources(Batch& batch, CallName call);

  // The same with device memory on at least one side. put_by_kind() and get_by_kind() are complete
  // when they return. Polls and waits advance the operations that the begin functions start.
  void put_by_kind(Remote to, Bytes source, CallName call);
  void get_by_kind(MutableBytes dest, Remote from, CallName call);
  void begin_put_by_kind(Batch& batch, Remote to, Bytes source, CallName call);
  void begin_get_by_kind(Batch& batch, MutableBytes dest, Remote from, CallName call);
  void move_by_kind(strided::End side, Space there, const StridedRun& run, CallName call);

  // Whether begin_put_of_copy() copies a source of this size. It waits for larger puts to complete.
  static bool is_copied(std::size_t bytes) { return bytes <= most_copied; }

 private:
  static constexpr std::size_t most_copied = std::size_t{1} << 20;

  bool begin_put(Completion& done, Remote to, Bytes source, CallName call, NoRoom no_room);
  KindAccess& kind_access(CallName call);
  void follow(Batch& batch, std::unique_ptr<KindWork> work, CallName call, bool is_far);
  bool make_room_for(Rank peer, CallName call);
  void await_devices(const Batch& batch, CallName call, bool for_sources);

  Door& door_;
  Engine& engine_;
  std::optional<MessageMemory> everything_;
  std::unique_ptr<Lane> lane_;         // null: all ranks are within reach
  std::unique_ptr<Lane> device_lane_;  // null: this process has no device
  std::atomic<std::uint32_t> far_{0};  // device transfers in flight to other nodes
};

// The counterpart of FarPieces with device memory on one side.
class KindPieces {
 public:
  KindPieces(RemoteMemory& memory, Space there, strided::End side, CallName call)
      : memory_(memory), there_(there), side_(side), call_(call) {}

  strided::End side() const { return side_; }
  void move(const StridedRun& run) {
    if (last_.count > 0 && join(last_, run)) return;
    finish();
    last_ = run;
  }
  // All pieces have arrived on return.
  void finish() {
    if (last_.count > 0) memory_.move_by_kind(side_, there_, last_, call_);
    last_.count = 0;
  }

 private:
  RemoteMemory& memory_;
  Space there_;
  strided::End side_;
  CallName call_;
  StridedRun last_ = {};
};

}  // namespace gondwana::gasnet
