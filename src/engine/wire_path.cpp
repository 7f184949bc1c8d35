// Where loads and stores do not reach, and where arguments are wrong: split, bounce, wait for room,
// complete. Nothing here is hot on a node.
#include <fmt/format.h>

#include <algorithm>

#include "core/mapping.hpp"
#include "engine/engine.hpp"

namespace gondwana {

// The one place that says what is wrong with a rank or an address.
Result<Remote> Engine::locate(const char* what, Rank rank, const void* object,
                              std::size_t size) const {
  if (index(rank) >= ranks_) {
    return Error{
        Errc::invalid_argument,
        fmt::format("{} of {} to rank {}: this job has {} ranks, 0 to {}", what, format_size(size),
                    static_cast<std::int32_t>(index(rank)), ranks_, ranks_ - 1)};
  }
  const std::size_t offset = symmetric_.ranges().offset_of(object, size);
  if (offset == SymmetricRanges::nowhere) {
    return Error{
        Errc::invalid_argument,
        fmt::format("{} of {} at address {} of rank {}: not symmetric memory; {}", what,
                    format_size(size), fmt::ptr(object), index(rank), symmetric_.describe())};
  }
  return Remote{rank, offset};
}

// For a transfer in many pieces, before the first of them: all or nothing.
bool Engine::is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                      std::size_t size) const {
  const Result<Remote> whole = locate(what, rank, object, size);
  return whole ? true : lane.fail(whole.error());
}

bool Engine::put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source,
                           std::size_t size) {
  if (size == 0) return true;
  const Result<Remote> place = locate("put", to, dest, size);
  if (!place) return lane.fail(place.error());
  lane.counters().add_put(size);
  return put_over_wire(lane, *place, Bytes(static_cast<const std::byte*>(source), size));
}

bool Engine::get_elsewhere(Lane& lane, Rank from, void* dest, const void* source,
                           std::size_t size) {
  if (size == 0) return true;
  const Result<Remote> place = locate("get", from, source, size);
  if (!place) return lane.fail(place.error());
  lane.counters().add_get(size);
  return get_over_wire(lane, MutableBytes(static_cast<std::byte*>(dest), size), *place);
}

std::optional<std::uint64_t> Engine::request_elsewhere(Lane& lane, Rank at, const void* dest,
                                                       const AtomicRequest& request) {
  const Result<Remote> place = locate("atomic operation", at, dest, width(request.type));
  if (!place) {
    lane.fail(place.error());
    return std::nullopt;
  }
  if (!wire_.limits().atomics) {
    lane.fail({Errc::missing, fmt::format("transport {} offers no atomic operations, and "
                                          "this version has no other way to do them",
                                          wire_.name())});
    return std::nullopt;
  }
  lane.counters().add(Count::atomics);
  std::uint64_t old = 0;
  Completion done;
  if (!post(lane, [&] { return wire_.atomic(*place, request, &old, done); })) return std::nullopt;
  complete(done, "atomic operation");
  return old;
}

// Small puts are bounced, so that their source is free at once; the others wait for delivery. A put
// of at most 8 aligned bytes must arrive in one piece: as an atomic swap where the transport does
// not promise a single store.
bool Engine::put_over_wire(Lane& lane, Remote to, Bytes source) {
  const Limits& limits = wire_.limits();
  const std::size_t size = source.size();
  const bool word = (size == 4 || size == 8) && to.offset % size == 0;
  if (word && !limits.single_store && limits.atomics) {
    AtomicRequest swap{AtomicOp::swap, size == 4 ? AtomicType::uint32 : AtomicType::uint64};
    std::memcpy(&swap.operand, source.data(), size);
    std::uint64_t old = 0;
    Completion done;
    if (!post(lane, [&] { return wire_.atomic(to, swap, &old, done); })) return false;
    complete(done, "put");
    return true;
  }
  if (size <= std::min(Lane::bounce_limit, limits.largest_message)) {
    Bytes copy = lane.bounce(source);
    if (copy.empty()) {
      drain(lane);
      copy = lane.bounce(source);
    }
    return post(lane, [&] { return wire_.put(to, copy, lane.pending()); });
  }
  Completion done;
  bool posted = true;
  for (std::size_t at = 0; at < size && posted; at += limits.largest_message) {
    const Bytes piece = source.subspan(at, std::min(limits.largest_message, size - at));
    posted = post(lane, [&] { return wire_.put({to.rank, to.offset + at}, piece, done); });
  }
  complete(done, "put");
  return posted;
}

bool Engine::get_over_wire(Lane& lane, MutableBytes dest, Remote from) {
  drain(lane);  // a get may ask for what a put of ours is still carrying there
  const std::size_t most = wire_.limits().largest_message;
  Completion done;
  bool posted = true;
  for (std::size_t at = 0; at < dest.size() && posted; at += most) {
    const MutableBytes piece = dest.subspan(at, std::min(most, dest.size() - at));
    posted = post(lane, [&] { return wire_.get(piece, {from.rank, from.offset + at}, done); });
  }
  complete(done, "get");
  return posted;
}

// Tries until the wire has room. False, with the error in the lane, where it never will.
bool Engine::post(Lane& lane, FunctionRef<Result<Posted>()> attempt) {
  for (;;) {
    const Result<Posted> posted = attempt();
    if (!posted) return lane.fail(posted.error());
    if (*posted == Posted::accepted) return true;
    wire_.progress();
  }
}

void Engine::complete(Completion& done, CallName call) {
  wait({.call = call}, [&] {
    if (!done.done()) wire_.progress();
    return done.done();
  });
}

void Engine::drain(Lane& lane) {
  complete(lane.pending(), "quiet");
  lane.reset_bounce();
}

}  // namespace gondwana
