// Operations on memory that loads and stores do not reach. GASNet has no code for network errors,
// so such errors end the job with a message.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/rma/far_pieces.hpp"
#include "front/gasnet/batch.hpp"
#include "front/gasnet/device_transfers.hpp"
#include "front/gasnet/message_memory.hpp"
#include "front/gasnet/objects.hpp"

namespace gondwana::gasnet {

// The behaviour of a call with these flags if the queue is full.
inline RemoteAccess::NoRoom without_room(gex_Flags_t flags) {
  return (flags & GEX_FLAG_IMMEDIATE) != 0 ? RemoteAccess::NoRoom::refuse
                                           : RemoteAccess::NoRoom::wait;
}

// Makes a shared lane. Ends the job if no lane is left.
std::unique_ptr<Lane> make_lane(Engine& engine);
// Ends the job with the error of the lane.
[[noreturn]] void fail(Lane& lane, CallName call);

// All functions are thread-safe. Only request() and devices() accept a Remote in device memory.
class RemoteMemory {
 public:
  RemoteMemory(Door& door, Engine& engine);
  // Null: the network and the agents carry out the operations, and a Remote is an offset in an
  // arena.
  const MessageMemory* everything() const { return everything_ ? &*everything_ : nullptr; }
  // Puts and gets with device memory on at least one side.
  DeviceTransfers& devices() { return devices_; }
  // Other components share this lane. Null: all ranks are within reach.
  Lane* lane() const { return lane_.get(); }

  // Calls return false or nothing if the queue was full. Then they had no effect.
  using NoRoom = RemoteAccess::NoRoom;

  // Returns whether the operation has begun. Ends the job if it failed.
  bool has_begun(RemoteAccess::Begun begun, CallName call);
  void complete(Completion& done, CallName call);
  // These calls return when the operation is complete.
  bool put(Remote to, Bytes source, CallName call, NoRoom no_room = NoRoom::wait);
  bool get(MutableBytes dest, Remote from, CallName call, NoRoom no_room = NoRoom::wait);
  std::optional<std::uint64_t> request(Remote at, const AtomicRequest& request, CallName call,
                                       NoRoom no_room = NoRoom::wait);
  // Like request(), in the arena of a rank, even with GASNET_SEGMENT_EVERYTHING.
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

  // Whether begin_put_of_copy() copies a source of this size. It waits for larger puts to complete.
  static bool is_copied(std::size_t bytes) { return bytes <= max_copied; }

 private:
  static constexpr std::size_t max_copied = std::size_t{1} << 20;

  bool begin_put(Completion& done, Remote to, Bytes source, CallName call, NoRoom no_room);

  Engine& engine_;
  std::optional<MessageMemory> everything_;
  std::unique_ptr<Lane> lane_;  // null: all ranks are within reach
  DeviceTransfers devices_;
};

}  // namespace gondwana::gasnet
