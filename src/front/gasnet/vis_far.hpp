// Vector, indexed and strided transfers with ranks that loads and stores do not reach: every piece
// that is contiguous at both ends is a put or a get, all of them under way together.
#pragma once

#include "engine/strided/lists.hpp"
#include "engine/strided/transfer.hpp"
#include "front/gasnet/far.hpp"

namespace gondwana::gasnet {

// What the pieces of a transfer are.
struct FarPieces {
  Far& far;
  Rank rank;          // of the peer
  strided::End side;  // the peer's: target: puts
  CallName call;
  Batch batch = {};

  // `place`: in the peer's arena.
  void move(std::size_t place, MutableBytes ours) {
    if (side == strided::End::target)
      far.begin_put(batch, {rank, place}, ours, call);
    else
      far.begin_get(batch, ours, {rank, place}, call);
  }
  void wait() { far.wait(batch, call); }
};

// The blocks of the peer's list are shifted to places in its arena. Both have as many bytes.
template <strided::BlockList List>
void move_blocks(FarPieces& pieces, const List& theirs, const List& ours) {
  strided::Cursor<List> there(theirs);
  strided::Cursor<List> here(ours);
  while (!there.at_end()) {
    const MutableBytes piece = here.rest_of_block();
    const std::size_t size = std::min(piece.size(), there.rest_of_block().size());
    pieces.move(reinterpret_cast<std::uintptr_t>(there.rest_of_block().data()), piece.first(size));
    there.advance(size);
    here.advance(size);
  }
}

// The base addresses of the description: `place` in the peer's arena, though perhaps before it.
void move_section(FarPieces& pieces, const strided::Transfer& transfer, std::size_t place,
                  std::byte* ours);

}  // namespace gondwana::gasnet
