// The whole memory of a process, for GASNET_SEGMENT_EVERYTHING. Peers cannot map it and no agent
// registers it, so puts, gets and atomic operations are messages whose handlers run at the owner.
// The owner must poll, as with conduits of GASNet without network hardware.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/types.hpp"
#include "engine/rma/remote_access.hpp"
#include "front/gasnet/objects.hpp"
#include "operations/atomic_op.hpp"
#include "operations/strided/transfer.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::gasnet {

// The range that replaces the segment of every process. No object has the address 0, which means
// "elsewhere" here (rma.hpp).
inline constexpr std::uintptr_t first_address = 1;
inline constexpr std::size_t size_of_everything = ~std::uintptr_t{0} - first_address;

// `Remote::offset` is an address in the target process. All functions are thread-safe.
class MessageMemory {
 public:
  using NoRoom = RemoteAccess::NoRoom;

  explicit MessageMemory(Door& door) : door_(&door) {}

  // Registers the handlers with the first endpoint.
  static void listen(gondwana_gex_endpoint& endpoint);

  // The operations are in flight on return, and the source may be reused at once. False: the queue
  // was full for the first message, and the call had no effect.
  bool begin_put(Completion& done, Remote to, Bytes source, CallName call, NoRoom no_room) const;
  bool begin_get(Completion& done, MutableBytes dest, Remote from, CallName call,
                 NoRoom no_room) const;
  // `old` is written before `done` finishes.
  bool begin_request(Completion& done, Remote at, const AtomicRequest& request, std::uint64_t& old,
                     CallName call, NoRoom no_room) const;
  void wait(const Completion& done, CallName call) const;

 private:
  Door* door_;
};

// The counterpart of FarPieces.
class MessagePieces {
 public:
  MessagePieces(const MessageMemory& memory, Rank rank, strided::End side, CallName call,
                MessageMemory::NoRoom no_room)
      : memory_(memory), rank_(rank), side_(side), call_(call), no_room_(no_room) {}

  strided::End side() const { return side_; }
  void move(const StridedRun& run);
  // False: the queue was full for the first piece, and nothing was transferred.
  bool finish();

 private:
  MessageMemory memory_;
  Rank rank_;
  strided::End side_;
  CallName call_;
  MessageMemory::NoRoom no_room_;  // for the first piece; later ones wait
  bool refused_ = false;
  Completion done_;
};

}  // namespace gondwana::gasnet
