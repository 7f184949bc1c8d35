// Operations beyond the reach of loads and stores, and wrong arguments.
#include "engine/rma/rma.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/debug_hint.hpp"
#include "core/more_ranks.hpp"
#include "engine/symmetric/not_symmetric.hpp"

namespace gondwana {
namespace {

// Refuses a misaligned word: a node agent would drop the operation without an answer.
Result<Remote> aligned(Result<Remote> place, std::size_t size) {
  if (!place || place->offset % size == 0) return place;
  return Error{Errc::invalid_argument,
               fmt::format("a word of {} bytes on rank {} is not aligned to its size; another node "
                           "cannot change it atomically",
                           size, index(place->rank))};
}

}  // namespace

// The only function that reports a wrong rank or address.
Result<Remote> Rma::locate(const char* what, Rank rank, const void* object,
                           std::size_t size) const {
  if (index(rank) >= ranks_) {
    const auto named = static_cast<std::int32_t>(index(rank));
    return Error{Errc::invalid_argument,
                 fmt::format("{} of {} to rank {}: this job has {} rank{}, 0 to {}{}", what,
                             format_size(size), named, ranks_, ranks_ == 1 ? "" : "s", ranks_ - 1,
                             start_with_more(ranks_, named))};
  }
  const std::size_t offset = symmetric_.ranges().offset_of(object, size);
  if (offset == SymmetricRanges::nowhere) {
    if (const std::string text = format_size(size); text.starts_with("a negative"))
      return Error{Errc::invalid_argument,
                   fmt::format("{} of {}{}", what, text, suggest_debug_of_size())};
    if (buffers_.find(me_, object, 1) != RegisteredBuffers::nowhere)
      return Error{Errc::invalid_argument,
                   fmt::format("{} of {} at address {} of rank {}: {}", what, format_size(size),
                               fmt::ptr(object), index(rank),
                               buffers_.find(rank, object, size) == RegisteredBuffers::nowhere
                                   ? "that rank has registered no buffer of this length"
                                   : "a registered buffer, which only puts, gets, signals and "
                                     "atomics take; use symmetric memory")};
    return Error{Errc::invalid_argument,
                 fmt::format("{} of {} at address {} of rank {}: not symmetric memory{}", what,
                             format_size(size), fmt::ptr(object), index(rank),
                             why_not_symmetric(symmetric_, object))};
  }
  return Remote{rank, offset};
}

Result<Remote> Rma::locate_any(const char* what, Rank rank, const void* object,
                               std::size_t size) const {
  if (index(rank) < ranks_)
    if (const std::size_t offset = buffers_.find(rank, object, size);
        offset != RegisteredBuffers::nowhere)
      return Remote{rank, offset};
  return locate(what, rank, object, size);
}

Reach::Place Rma::place_in_buffer(Rank rank, const void* object, std::size_t size) const {
  if (!reach_.covers(rank)) return {};
  const std::size_t offset = buffers_.find(rank, object, size);
  return offset == RegisteredBuffers::nowhere ? Reach::Place{}
                                              : Reach::Place{reach_.window(rank), offset};
}

Reach::Place Rma::place_near(Rank rank, const void* object, std::size_t size) const {
  const Reach::Place place = reach_.find(rank, object, size);
  return place ? place : place_in_buffer(rank, object, size);
}

// Checks a transfer of many pieces before the first: all or nothing is transferred.
bool Rma::is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                   std::size_t size) const {
  const Result<Remote> whole = locate(what, rank, object, size);
  return whole ? true : lane.fail(whole.error());
}

bool Rma::put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source, std::size_t size,
                        Buffer buffer) {
  if (size == 0) return true;
  if (const Reach::Place target = place_in_buffer(to, dest, size)) {
    lane.counters().add_put(size);
    copy_to_peer(target.data(), static_cast<const std::byte*>(source), size);
    Reach::wake(target.window);
    return true;
  }
  const Result<Remote> place = locate_any("put", to, dest, size);
  if (!place) return lane.fail(place.error());
  return remote_->put(lane, *place, Bytes(static_cast<const std::byte*>(source), size), buffer);
}

bool Rma::get_elsewhere(Lane& lane, Rank from, void* dest, const void* source, std::size_t size,
                        Buffer buffer) {
  if (size == 0) return true;
  if (const Reach::Place origin = place_in_buffer(from, source, size)) {
    lane.counters().add_get(size);
    copy_from_peer(static_cast<std::byte*>(dest), origin.data(), size);
    return true;
  }
  const Result<Remote> place = locate_any("get", from, source, size);
  if (!place) return lane.fail(place.error());
  return remote_->get(lane, MutableBytes(static_cast<std::byte*>(dest), size), *place, buffer);
}

std::optional<std::uint64_t> Rma::request_elsewhere(Lane& lane, Rank at, const void* dest,
                                                    const AtomicRequest& request) {
  const std::size_t size = width(request.type);
  if (const Reach::Place target = place_in_buffer(at, dest, size)) {
    lane.counters().add(Count::atomics);
    const std::uint64_t old = find_executor(request.op, request.type)(target.data(), request);
    return Reach::wake(target.window, old);
  }
  const Result<Remote> place = aligned(locate_any("atomic operation", at, dest, size), size);
  if (!place) {
    lane.fail(place.error());
    return std::nullopt;
  }
  return remote_->request(lane, *place, request, "atomic operation");
}

bool Rma::begin_elsewhere(Lane& lane, Rank at, const void* dest, const AtomicRequest& request,
                          std::byte* old) {
  const std::size_t size = width(request.type);
  if (place_in_buffer(at, dest, size)) {
    const std::optional<std::uint64_t> bytes = request_elsewhere(lane, at, dest, request);
    if (old != nullptr) std::memcpy(old, &*bytes, size);
    return true;
  }
  const Result<Remote> place = aligned(locate_any("atomic operation", at, dest, size), size);
  if (!place) return lane.fail(place.error());
  return remote_->begin_request(lane, *place, request, old);
}

// The signal is sent after the data is delivered, or follows it.
bool Rma::put_signal_elsewhere(Lane& lane, Rank to, const void* dest, Bytes source,
                               const Signal& signal) {
  const std::size_t size = sizeof(signal.value);
  const Reach::Place flag = place_near(to, signal.word, size);
  const Reach::Place target = source.empty() ? flag : place_near(to, dest, source.size());
  if (flag && target) return write_with_signal(lane, target, source, flag, signal);
  const Result<Remote> word = aligned(locate_any("signal", to, signal.word, size), size);
  if (!word) return lane.fail(word.error());
  if (!source.empty()) {
    const Result<Remote> place = locate_any("put", to, dest, source.size());
    if (!place) return lane.fail(place.error());
    if (!remote_->put_before_signal(lane, *place, source)) return false;
  }
  remote_->order(lane);
  if (signal.op == SignalOp::set)
    return remote_->put(lane, *word, std::as_bytes(std::span(&signal.value, 1)));
  const AtomicRequest add{AtomicOp::add, AtomicType::uint64, signal.value};
  return remote_->begin_request(lane, *word, add, nullptr);
}

}  // namespace gondwana
