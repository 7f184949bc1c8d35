// Transfers with ranks that loads and stores do not reach, described by sections or lists. The
// pieces are contiguous at both ends. Small pieces are packed, and all pieces are in flight
// together.
#pragma once

#include <algorithm>
#include <vector>

#include "core/function_ref.hpp"
#include "engine/rma/remote_access.hpp"
#include "operations/strided/lists.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana {

// Merges pieces at equal steps into one run. False: the steps differ, and `last` stays as it is.
bool join(StridedRun& last, const StridedRun& line);

// The pieces of a transfer, started in the order of the calls to move(). The caller must finish it.
class FarPieces {
 public:
  // `side` is the side of the peer. Target: the transfer is a put.
  FarPieces(RemoteAccess& remote, Lane& lane, Rank rank, strided::End side,
            RemoteAccess::NoRoom no_room)
      : remote_(remote), lane_(lane), rank_(rank), side_(side), no_room_(no_room) {}

  strided::End side() const { return side_; }
  // For a put: finish() may return before packed pieces have arrived, once their source is free.
  void need_not_arrive() { need_not_arrive_ = true; }
  // Adds pieces at equal steps. `there` is an offset in the peer's arena.
  void move(const StridedRun& line);
  // Begins what was told last. The caller finishes it later.
  void begin();
  // Returns when all pieces have arrived. Refused: there was no room for the first request.
  RemoteAccess::Begun finish(CallName call);
  // Whether finish() would not wait. Everything has begun.
  bool is_done() const { return done_.done(); }

 private:
  RemoteAccess::Begun begin_told();

  RemoteAccess& remote_;
  Lane& lane_;
  Rank rank_;
  strided::End side_;
  RemoteAccess::NoRoom no_room_;  // applies to the first request; later ones wait
  bool need_not_arrive_ = false;
  RemoteAccess::Begun begun_ = RemoteAccess::Begun::pending;
  Completion done_;
  std::vector<StridedRun> told_;  // added, not yet started
  std::size_t bytes_ = 0;         // in told_
};

// The shift of the peer's list maps it to its arena. Both lists have the same number of bytes.
template <strided::BlockList List>
void move_blocks(auto& pieces, const List& theirs, const List& ours) {
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

// The lines of a transfer, in its order: all runs along its first dimension but the run. `place`
// and `ours` are the base addresses of the peer, on its `side`, and of this process.
void for_each_line(const strided::Transfer& transfer, strided::End side, std::uint64_t place,
                   std::byte* ours, FunctionRef<void(const StridedRun&)> use);

// `place` is relative to the peer's arena, perhaps negative.
void move_section(auto& pieces, const strided::Transfer& transfer, std::uint64_t place,
                  std::byte* ours) {
  for_each_line(transfer, pieces.side(), place, ours,
                [&](const StridedRun& line) { pieces.move(line); });
}

}  // namespace gondwana
