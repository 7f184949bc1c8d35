#include "engine/rma/kind_access.hpp"

#include <sched.h>

#include <algorithm>

namespace gondwana {
namespace {

constexpr std::size_t chunk_size = std::size_t{256} * 1024;

// Takes parts of at most a chunk off the front of pieces.
class Parts {
 public:
  explicit Parts(const StridedRun& pieces) : left_(pieces) {}

  bool is_empty() const { return left_.count == 0; }
  StridedRun next() {
    StridedRun part = left_;
    if (left_.size > chunk_size) return part_of_piece(part);
    part.count = std::min(left_.count, chunk_size / left_.size);
    skip(part.count);
    return part;
  }

 private:
  // A piece that is longer than a chunk comes in parts of its own.
  StridedRun part_of_piece(StridedRun part) {
    part.size = std::min(chunk_size, left_.size - at_);
    part.count = 1;
    part.there += at_;
    part.here += at_;
    at_ += part.size;
    if (at_ == left_.size) {
      at_ = 0;
      skip(1);
    }
    return part;
  }
  void skip(std::size_t count) {
    const auto steps = static_cast<std::ptrdiff_t>(count);
    left_.count -= count;
    left_.there += static_cast<std::uint64_t>(steps * left_.there_step);
    left_.here += steps * left_.here_step;
  }

  StridedRun left_;
  std::size_t at_ = 0;  // bytes of the first piece that are taken
};

// The same pieces, one after the other in host memory.
StridedRun packed(const StridedRun& pieces, std::byte* host) {
  StridedRun run = pieces;
  run.here = host;
  run.here_step = static_cast<std::ptrdiff_t>(pieces.size);
  return run;
}

}  // namespace

bool KindAccess::put(Lane& lane, Space to, const StridedRun& pieces) {
  if (pieces.bytes() == 0) return true;
  if (!is_here(to.rank)) return put_elsewhere(lane, to, pieces);
  if (const Result<void> put = any_.put(to, pieces); !put) return lane.fail(put.error());
  lane.counters().add_put(pieces.bytes());
  Reach::wake(reach_.window(to.rank));  // it may wait for a word of a device, too
  return true;
}

bool KindAccess::get(Lane& lane, Space from, const StridedRun& pieces) {
  if (pieces.bytes() == 0) return true;
  if (!is_here(from.rank)) return get_elsewhere(lane, from, pieces);
  if (const Result<void> got = any_.get(from, pieces); !got) return lane.fail(got.error());
  lane.counters().add_get(pieces.bytes());
  return true;
}

bool KindAccess::begin_put(Lane& lane, Space to, const StridedRun& piece) {
  if (!is_here(to.rank)) return put_elsewhere(lane, to, piece);
  KindCopies& copies = lane.kind_copies();
  const auto done_of = [&](Kind& kind) -> Completion& { return copies.of(kind); };
  if (const Result<void> put = any_.begin_put(to, piece, done_of); !put)
    return lane.fail(put.error());
  lane.counters().add_put(piece.size);
  Reach::wake(reach_.window(to.rank));
  copies.note_window(reach_.window(to.rank));
  return true;
}

bool KindAccess::begin_get(Lane& lane, Space from, const StridedRun& piece) {
  if (!is_here(from.rank)) return get_elsewhere(lane, from, piece);
  const auto done_of = [&](Kind& kind) -> Completion& { return lane.kind_copies().of(kind); };
  if (const Result<void> got = any_.begin_get(from, piece, done_of); !got)
    return lane.fail(got.error());
  lane.counters().add_get(piece.size);
  return true;
}

// A lock is held for two copies. No bell rings when it is released.
std::optional<std::uint64_t> KindAccess::request(Lane& lane, Remote at,
                                                 const AtomicRequest& request) {
  if (!is_here(at.rank)) return remote_->request(lane, at, request, "atomic operation");
  std::uint64_t old = 0;
  Result<bool> done = any_.try_update(at, request, old);
  for (; done && !*done; done = any_.try_update(at, request, old)) ::sched_yield();
  if (!done) {
    lane.fail(done.error());
    return std::nullopt;
  }
  lane.counters().add(Count::atomics);
  if (request.op != AtomicOp::fetch) Reach::wake(reach_.window(at.rank));
  return old;
}

bool KindAccess::copy(Lane& lane, const StridedRun& to, const StridedRun& from) {
  for (std::size_t i = 0; i < to.count; ++i) {
    const auto step = static_cast<std::ptrdiff_t>(i);
    const Result<void> copied =
        any_.copy(to.here + step * to.here_step, from.here + step * from.here_step, to.size,
                  AnyMemory::Passing::yes);
    if (!copied) return lane.fail(copied.error());
  }
  return true;
}

// While one chunk leaves, the other is filled.
bool KindAccess::put_elsewhere(Lane& lane, Space to, const StridedRun& pieces) {
  std::array<Chunk, 2> chunks;
  if (kinds_.of({pieces.here, pieces.size}) == nullptr) {
    chunks[0].pieces = pieces;
    const bool begun = begin_put(lane, to, chunks[0]);
    return remote_->complete(lane, chunks[0].done, "put") && begun;
  }
  bool is_well = true;
  std::size_t turn = 0;
  for (Parts parts(pieces); is_well && !parts.is_empty(); ++turn) {
    Chunk& chunk = chunks.at(turn % 2);
    is_well = remote_->complete(lane, chunk.done, "put");
    const StridedRun part = parts.next();
    chunk.host.resize(chunk_size);
    chunk.pieces = packed(part, chunk.host.data());
    is_well = is_well && copy(lane, chunk.pieces, part) && begin_put(lane, to, chunk);
  }
  for (Chunk& chunk : chunks) is_well = remote_->complete(lane, chunk.done, "put") && is_well;
  return is_well;
}

bool KindAccess::begin_put(Lane& lane, Space to, Chunk& chunk) {
  return remote_->begin_put(lane, to, std::span(&chunk.pieces, 1), chunk.done) ==
         RemoteAccess::Begun::pending;
}

bool KindAccess::get_elsewhere(Lane& lane, Space from, const StridedRun& pieces) {
  remote_->drain(lane);  // it must see earlier puts of this rank
  std::array<Chunk, 2> chunks;
  if (kinds_.of({pieces.here, pieces.size}) == nullptr) {
    chunks[0].pieces = pieces;
    const bool begun = begin_get(lane, from, chunks[0]);
    return remote_->complete(lane, chunks[0].done, "get") && begun;
  }
  bool is_well = true;
  std::array<StridedRun, 2> targets;
  std::size_t turn = 0;
  const auto finish = [&](std::size_t which) {
    Chunk& chunk = chunks.at(which);
    is_well = remote_->complete(lane, chunk.done, "get") && is_well;
    if (chunk.pieces.count > 0 && is_well) is_well = copy(lane, targets.at(which), chunk.pieces);
    chunk.pieces.count = 0;
  };
  for (Parts parts(pieces); is_well && !parts.is_empty(); ++turn) {
    Chunk& chunk = chunks.at(turn % 2);
    finish(turn % 2);
    targets.at(turn % 2) = parts.next();
    chunk.host.resize(chunk_size);
    chunk.pieces = packed(targets.at(turn % 2), chunk.host.data());
    is_well = is_well && begin_get(lane, from, chunk);
  }
  finish(turn % 2);
  finish((turn + 1) % 2);
  return is_well;
}

bool KindAccess::begin_get(Lane& lane, Space from, Chunk& chunk) {
  return remote_->begin_get(lane, from, std::span(&chunk.pieces, 1), chunk.done) ==
         RemoteAccess::Begun::pending;
}

}  // namespace gondwana
