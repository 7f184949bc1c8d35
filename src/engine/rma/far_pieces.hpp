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

// Merges pieces with equal strides into one run. False: the strides differ, and `last` is
// unchanged.
bool join(StridedRun& last, const StridedRun& run);

// The pieces of a transfer, started in the order of the calls to move(). The caller must finish it.
class FarPieces {
 public:
  // `side`: the peer's side. Target: the transfer is a put.
  FarPieces(RemoteAccess& remote, Lane& lane, Rank rank, strided::End side,
            RemoteAccess::NoRoom no_room)
      : remote_(remote), lane_(lane), rank_(rank), side_(side), no_room_(no_room) {}

  strided::End side() const { return side_; }
  // For a put: finish() may return before packed pieces have arrived, once their source may be
  // reused.
  void need_not_arrive() { need_not_arrive_ = true; }
  // Adds pieces with a constant stride. `there` is an offset in the peer's arena.
  void move(const StridedRun& run);
  // Starts the pieces added last. The caller must still call finish().
  void begin();
  // Returns when all pieces have arrived. Returns Begun::refused if the queue was full for the
  // first request.
  RemoteAccess::Begun finish(CallName call);
  // Whether finish() would return at once. All pieces must have been started.
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
  std::size_t bytes_ = 0;         // bytes in told_
};

// The shift of `theirs` leads to the peer's arena. Both lists have the same number of bytes.
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

// The runs of a transfer, in order. A run contains all pieces along the first dimension.
// `place` and `ours` are the base addresses of the peer, on its `side`, and of this process.
void for_each_run(const strided::Transfer& transfer, strided::End side, std::uint64_t place,
                  std::byte* ours, FunctionRef<void(const StridedRun&)> use);

// `place` is relative to the peer's arena and may be negative.
void move_section(auto& pieces, const strided::Transfer& transfer, std::uint64_t place,
                  std::byte* ours) {
  for_each_run(transfer, pieces.side(), place, ours,
               [&](const StridedRun& run) { pieces.move(run); });
}

}  // namespace gondwana
