#include "engine/rma/bounce/transfer.hpp"

#include <algorithm>

namespace gondwana::bounce {
namespace {

bool is_contiguous(const StridedRun& pieces) {
  return pieces.count == 1 || pieces.here_stride == static_cast<std::ptrdiff_t>(pieces.size);
}

// The same pieces, packed in host memory.
StridedRun packed(const StridedRun& pieces, std::byte* host) {
  StridedRun run = pieces;
  run.here = host;
  run.here_stride = static_cast<std::ptrdiff_t>(pieces.size);
  return run;
}

Landing* landing_for(const Resources& with, Lane& lane, Space there, std::size_t bytes) {
  const Limits& limits = with.remote.limits();
  const std::size_t of_message = std::max(limits.messages_up_to, limits.packs_up_to);
  if (there.is_arena() || bytes <= of_message || limits.passes_up_to < chunk_size) return nullptr;
  return with.landings.of(lane, there.rank);
}

}  // namespace

Transfer::Transfer(const Resources& with, Lane& lane, Way way, Space there,
                   const StridedRun& pieces)
    : with_(with),
      lane_(lane),
      way_(way),
      there_(there),
      here_(with.kinds.of({pieces.here, pieces.size})),
      landing_(landing_for(with, lane, there, pieces.bytes())),
      parts_(pieces) {}

// A chunk sent as a message should fit into one.
std::size_t Transfer::chunk_limit(const Chunk& chunk) const {
  const Limits& limits = with_.remote.limits();
  const std::size_t of_message = std::max(limits.messages_up_to, limits.packs_up_to);
  const bool is_written = there_.is_arena() && limits.max_write > of_message;
  if (chunk.slot) return chunk_size;
  if (is_written) return std::min(chunk_size, limits.max_write / 8 * 8);
  return std::clamp(of_message, std::size_t{1}, chunk_size);
}

// Starts with the oldest chunk. Each advances as far as it can, so the network gets it before the
// next one is copied.
bool Transfer::advance() {
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    const std::size_t oldest = begun_;
    for (std::size_t i = 0; i < depth; ++i)
      while (step(chunks_.at((oldest + i) % depth))) has_moved = true;
  }
  return is_over();
}

bool Transfer::is_idle() const {
  return std::ranges::all_of(chunks_, [](const Chunk& each) { return each.stage == Stage::free; });
}

bool Transfer::is_over() const {
  return (has_failed_ || parts_.is_empty()) && is_idle();
}

bool Transfer::has_free_source() const {
  if (way_ == Way::get) return true;
  if (!has_failed_ && !parts_.is_empty()) return false;
  return std::ranges::all_of(chunks_, [](const Chunk& each) {
    if (each.host != nullptr) return each.stage != Stage::filling;
    return each.stage != Stage::filled && each.stage != Stage::moving;
  });
}

void Transfer::rest() {
  Chunk* oldest = nullptr;
  for (std::size_t i = 0; i < depth; ++i) {
    Chunk& chunk = chunks_.at((begun_ + i) % depth);
    if (chunk.stage == Stage::moving || chunk.stage == Stage::passing) return;
    const bool is_copied = chunk.stage == Stage::filling || chunk.stage == Stage::emptying;
    if (is_copied && oldest == nullptr) oldest = &chunk;
  }
  if (oldest != nullptr && oldest->kind != nullptr) oldest->kind->wait(oldest->copied);
}

// Returns whether the state has changed.
bool Transfer::step(Chunk& chunk) {
  switch (chunk.stage) {
    case Stage::free:
      return begin(chunk);
    case Stage::asking:
      return pass(chunk, Pass::to_arena);
    case Stage::filling:
      if (!is_copied(chunk)) return false;
      chunk.stage = Stage::filled;
      return true;
    case Stage::filled:
    case Stage::passed:
      return move(chunk);
    case Stage::moving:
      if (!is_done(chunk)) return false;
      if (!has_failed_ && way_ == Way::get) return copy(chunk, Stage::emptying);
      chunk.stage = Stage::moved;
      return true;
    case Stage::moved:
      if (chunk.slot) return pass(chunk, Pass::to_device);
      end(chunk);
      return true;
    case Stage::passing:
      if (!is_done(chunk)) return false;
      if (way_ == Way::get)
        chunk.stage = Stage::passed;
      else
        end(chunk);
      return true;
    case Stage::emptying:
      if (!is_copied(chunk)) return false;
      end(chunk);
      return true;
  }
  return false;
}

std::size_t Transfer::count_asked() const {
  if (way_ == Way::put) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(chunks_, [](const Chunk& each) {
    return each.stage == Stage::asking || each.stage == Stage::passing;
  }));
}

// Other transfers may hold all slots of the landing, and may not advance for long. If no chunk is
// in flight, the transfer continues by messages, without a slot.
bool Transfer::begin(Chunk& chunk) {
  if (has_failed_ || parts_.is_empty() || &chunk != &chunks_.at(begun_ % depth)) return false;
  if (count_asked() >= max_asked) return false;
  if (landing_ != nullptr) {
    chunk.slot = landing_->take_slot();
    if (!chunk.slot && !is_idle()) return false;
  }
  ++begun_;
  chunk.part = parts_.next(chunk_limit(chunk));
  const bool via_host = here_ != nullptr || (chunk.slot && !is_contiguous(chunk.part));
  if (via_host) chunk.host = with_.staging.take(here_);
  chunk.sent = via_host ? packed(chunk.part, chunk.host) : chunk.part;
  if (way_ == Way::put) return copy(chunk, Stage::filling);
  chunk.stage = chunk.slot ? Stage::asking : Stage::filled;
  return true;
}

// Copies between the caller's memory and the chunk.
bool Transfer::copy(Chunk& chunk, Stage next) {
  chunk.stage = next;
  if (chunk.host == nullptr) return true;
  const StridedRun& part = chunk.part;
  if (here_ == nullptr) {
    const std::span run(&part, 1);
    if (way_ == Way::put)
      pack(run, chunk.host);
    else
      unpack(run, chunk.host);
    return true;
  }
  const bool is_one = is_contiguous(part);
  const std::size_t size = is_one ? part.bytes() : part.size;
  std::byte* host = chunk.host;
  constexpr auto passing = AnyMemory::Passing::yes;
  const auto done_of = [&](Kind& kind) -> Completion& {
    chunk.kind = &kind;
    return chunk.copied;
  };
  for (std::size_t i = 0; i < (is_one ? 1 : part.count); ++i, host += size) {
    std::byte* own = part.here + static_cast<std::ptrdiff_t>(i) * part.here_stride;
    const Result<void> begun = way_ == Way::put
                                   ? with_.memory.begin_copy(host, own, size, passing, done_of)
                                   : with_.memory.begin_copy(own, host, size, passing, done_of);
    if (!begun) return fail(begun.error());
  }
  return true;
}

bool Transfer::is_copied(Chunk& chunk) {
  if (chunk.kind == nullptr) return true;
  if (!chunk.kind->test(chunk.copied)) return false;
  const Error* loss = chunk.copied.take_loss();
  if (loss != nullptr) fail(*loss);
  return true;
}

bool Transfer::is_done(Chunk& chunk) {
  if (!chunk.done.done()) return false;
  if (!with_.remote.complete(lane_, chunk.done, way_ == Way::put ? "put" : "get"))
    has_failed_ = true;
  return true;
}

bool Transfer::move(Chunk& chunk) {
  if (has_failed_) {
    end(chunk);
    return true;
  }
  constexpr auto no_room = RemoteAccess::NoRoom::refuse;
  const std::span pieces(&chunk.sent, 1);
  const MutableBytes bytes(chunk.sent.here, chunk.sent.bytes());
  RemoteAccess& remote = with_.remote;
  if (!chunk.slot)
    return follow(chunk,
                  way_ == Way::put ? remote.begin_put(lane_, there_, pieces, chunk.done, no_room)
                                   : remote.begin_get(lane_, there_, pieces, chunk.done, no_room),
                  Stage::moving);
  return follow(chunk,
                way_ == Way::put
                    ? remote.begin_put(lane_, place_of(chunk), bytes, chunk.done, no_room)
                    : remote.begin_get(lane_, bytes, place_of(chunk), chunk.done, no_room),
                Stage::moving);
}

bool Transfer::pass(Chunk& chunk, Pass way) {
  if (has_failed_) {
    end(chunk);
    return true;
  }
  return follow(
      chunk,
      with_.remote.begin_pass(lane_, there_, chunk.sent, place_of(chunk).offset, way, chunk.done),
      Stage::passing);
}

// Part of a failed operation may be in flight.
bool Transfer::follow(Chunk& chunk, RemoteAccess::Begun begun, Stage next) {
  if (begun == RemoteAccess::Begun::refused) return false;
  if (begun == RemoteAccess::Begun::failed) has_failed_ = true;
  chunk.stage = next;
  return true;
}

void Transfer::end(Chunk& chunk) {
  if (chunk.host != nullptr) with_.staging.give_back(here_, std::exchange(chunk.host, nullptr));
  if (chunk.slot) landing_->give_back(*std::exchange(chunk.slot, std::nullopt));
  chunk.kind = nullptr;
  chunk.stage = Stage::free;
}

bool Transfer::fail(const Error& error) {
  lane_.fail(error);
  has_failed_ = true;
  return true;
}

}  // namespace gondwana::bounce
