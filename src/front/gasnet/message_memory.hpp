// All memory of a process, as GASNET_SEGMENT_EVERYTHING has it: peers cannot map it and no agent
// registers it, so puts, gets and atomic operations are messages whose handlers run at the owner.
// It must poll for that, as with GASNet's own conduits that have no hardware for it.
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

// In place of the segment of every process. Address 0 belongs to no object, and here it would mean
// "elsewhere" (rma.hpp).
inline constexpr std::uintptr_t first_address = 1;
inline constexpr std::size_t size_of_everything = ~std::uintptr_t{0} - first_address;

// `Remote::offset` is an address in the process of the rank. Any thread may call it.
class MessageMemory {
 public:
  using NoRoom = RemoteAccess::NoRoom;

  explicit MessageMemory(Door& door) : door_(&door) {}

  // Registers the handlers with the first endpoint.
  static void listen(gondwana_gex_endpoint& endpoint);

  // In flight when they return. False: there was no room for the first message, and nothing has
  // happened. The source may be used again at once.
  bool begin_put(Completion& done, Remote to, Bytes source, CallName call, NoRoom no_room) const;
  bool begin_get(Completion& done, MutableBytes dest, Remote from, CallName call,
                 NoRoom no_room) const;
  // `old` is written before `done`.
  bool begin_request(Completion& done, Remote at, const AtomicRequest& request, std::uint64_t& old,
                     CallName call, NoRoom no_room) const;
  void wait(const Completion& done, CallName call) const;

 private:
  Door* door_;
};

// Takes the place of FarPieces.
class MessagePieces {
 public:
  MessagePieces(const MessageMemory& memory, Rank rank, strided::End side, CallName call,
                MessageMemory::NoRoom no_room)
      : memory_(memory), rank_(rank), side_(side), call_(call), no_room_(no_room) {}

  strided::End side() const { return side_; }
  void move(const StridedRun& run);
  // False: there was no room for the first piece, and nothing was transferred.
  bool finish();

 private:
  MessageMemory memory_;
  Rank rank_;
  strided::End side_;
  CallName call_;
  MessageMemory::NoRoom no_room_;  // of the first piece; later ones wait
  bool refused_ = false;
  Completion done_;
};

}  // namespace gondwana::gasnet
