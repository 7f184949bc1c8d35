// Vector, indexed and strided transfers with ranks that loads and stores do not reach, in pieces
// that are contiguous at both ends: small ones travel packed, all are under way together.
#pragma once

#include "front/gasnet/remote_memory.hpp"
#include "operations/strided/lists.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::gasnet {

// The pieces of a transfer, on their way in the order in which they are told.
class FarPieces {
 public:
  // `side`: the peer's: target: puts.
  FarPieces(RemoteMemory& remote, Rank rank, strided::End side, CallName call,
            RemoteMemory::NoRoom no_room)
      : remote_(remote), rank_(rank), side_(side), call_(call), no_room_(no_room) {}

  strided::End side() const { return side_; }
  // Pieces at equal steps, `there` in the peer's arena.
  void move(const StridedRun& line);
  // False: there was no room for the first, and nothing has been moved.
  bool wait();

 private:
  bool joins_last(const StridedRun& line);
  void begin();

  RemoteMemory& remote_;
  Rank rank_;
  strided::End side_;
  CallName call_;
  RemoteMemory::NoRoom no_room_;  // of the first; the others wait
  bool refused_ = false;
  Batch batch_;
  std::vector<StridedRun> told_;  // and not begun
  std::size_t bytes_ = 0;         // of those
};

// The blocks of the peer's list are shifted to places in its arena. Both have as many bytes.
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

// The base addresses of the description: `place` in the peer's arena, though perhaps before it.
void move_section(FarPieces& pieces, const strided::Transfer& transfer, std::size_t place,
                  std::byte* ours);

}  // namespace gondwana::gasnet
