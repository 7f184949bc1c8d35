// Vector, indexed and strided transfers with ranks that loads and stores do not reach. The pieces
// are contiguous at both ends. Small pieces are packed, and all pieces are in flight together.
#pragma once

#include "front/gasnet/remote_memory.hpp"
#include "operations/strided/lists.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::gasnet {

// The pieces of a transfer, started in the order of the calls to move().
class FarPieces {
 public:
  // `side` is the side of the peer. Target: the transfer is a put.
  FarPieces(RemoteMemory& remote, Rank rank, strided::End side, CallName call,
            RemoteMemory::NoRoom no_room)
      : remote_(remote), rank_(rank), side_(side), call_(call), no_room_(no_room) {}

  strided::End side() const { return side_; }
  // Adds pieces at equal steps. `there` is an offset in the peer's arena.
  void move(const StridedRun& line);
  // False: the queue was full for the first request, and nothing was transferred.
  bool wait();

 private:
  bool joins_last(const StridedRun& line);
  void begin();

  RemoteMemory& remote_;
  Rank rank_;
  strided::End side_;
  CallName call_;
  RemoteMemory::NoRoom no_room_;  // applies to the first request; later ones wait
  bool refused_ = false;
  Batch batch_;
  std::vector<StridedRun> told_;  // added, not yet started
  std::size_t bytes_ = 0;         // in told_
};

// The shift of the peer's list maps it to its arena. Both lists have the same number of bytes.
template <strided::BlockList List>
void move_blocks(FarPieces& pieces, const List& theirs, const List& ours) {
  strided::Cursor<List> there(theirs);
  strided::Cursor<List> here(ours);
  while (!there.at_end()) {
    const MutableBytes piece = here.rest_of_block();
    const std::size_t size = std::min(piece.size(), there.rest_of_block().size());
    pieces.move({.size = size,
                 .count = 1,
                 .there = reinterpret_cast<std::uintptr_t>(there.rest_of_block().data()),
                 .here = piece.data()});
    there.advance(size);
    here.advance(size);
  }
}

// `place` and `ours` are base addresses. `place` is relative to the peer's arena, perhaps negative.
void move_section(FarPieces& pieces, const strided::Transfer& transfer, std::size_t place,
                  std::byte* ours);

}  // namespace gondwana::gasnet
