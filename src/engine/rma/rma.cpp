// Operations beyond the reach of loads and stores, and their error checks.
#include "engine/rma/rma.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "core/debug_hint.hpp"
#include "core/machine.hpp"
#include "core/more_ranks.hpp"
#include "engine/symmetric/not_symmetric.hpp"
#include "memory/death_list.hpp"

namespace gondwana {
namespace {

// Rejects a misaligned word, because a node agent would drop the operation without an answer.
Result<Remote> aligned(Result<Remote> place, std::size_t size) {
  if (!place || place->offset % size == 0) return place;
  return Error{Errc::invalid_argument,
               fmt::format("a word of {} bytes on rank {} is not aligned to its size; another node "
                           "cannot change it atomically",
                           size, index(place->rank))};
}

// `here` is const for puts, which only read it.
StridedRun one_piece(std::uint64_t there, const void* here, std::size_t size) {
  auto* bytes = static_cast<std::byte*>(const_cast<void*>(here));
  return {.size = size, .count = 1, .there = there, .here = bytes};
}

// Whether the local memory of a transfer to or from another node is of a single kind.
bool is_whole(Lane& lane, KindAccess& kinds, const void* here, std::size_t size) {
  const Result<Kind*> owner =
      kinds.any_memory().owner_of({static_cast<const std::byte*>(here), size});
  return owner ? true : lane.fail(owner.error());
}

// Waits until the rank runs, but not for long. Another rank may know it already: each node hears of
// it from its own launcher.
bool await(const LateRanks& late, Rank rank) {
  const std::uint64_t since = monotonic_ns();
  while (late.is_awaited(rank) && monotonic_ns() - since < time_to_tell_ns)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return late.has_joined(rank);
}

}  // namespace

// Device copies are ordered only by their own completion, so a fence waits for them.
void Rma::fence_slowly(Lane& lane) const {
  if (lane.kind_copies().has_any()) kinds_->complete(lane);
  if (remote_ != nullptr) remote_->fence(lane);
}

void Rma::drain(Lane& lane) const {
  if (lane.kind_copies().has_any()) kinds_->complete(lane);
  if (remote_ != nullptr) remote_->drain(lane);
}

// The only function that reports a wrong rank or address. A rank that joins while the caller looks
// for it is found by the next call.
Result<Remote> Rma::locate(const char* what, Rank rank, const void* object,
                           std::size_t size) const {
  if (index(rank) >= ranks_ && late_.is_awaited(rank) &&
      (remote_ == nullptr || !await(late_, rank)))
    return Error{Errc::invalid_argument,
                 fmt::format("{} of {} to rank {}, which has not joined the job yet", what,
                             format_size(size), index(rank))};
  if (index(rank) >= ranks_ && !late_.has_joined(rank)) {
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
    if (buffers_.find(me_, object, 1))
      return Error{
          Errc::invalid_argument,
          fmt::format("{} of {} at address {} of rank {}: {}", what, format_size(size),
                      fmt::ptr(object), index(rank),
                      buffers_.find(rank, object, size)
                          ? "a registered buffer, which locks do not accept; use symmetric memory"
                          : "that rank has registered no buffer of this length")};
    return Error{Errc::invalid_argument,
                 fmt::format("{} of {} at address {} of rank {}: not symmetric memory{}", what,
                             format_size(size), fmt::ptr(object), index(rank),
                             why_not_symmetric(symmetric_, object,
                                               kinds_ ? kinds_->device_at(object) : ""))};
  }
  return Remote{rank, offset};
}

Result<Remote> Rma::locate_any(const char* what, Rank rank, const void* object,
                               std::size_t size) const {
  if (index(rank) < ranks_)
    if (const BufferPlace place = buffers_.find(rank, object, size))
      return Remote{{rank, place.space}, place.offset};
  return locate(what, rank, object, size);
}

// Avoids asking the driver about symmetric memory.
bool Rma::may_be_on_device(const void* here) const {
  return kinds_->may_be_on_device(here) &&
         symmetric_.ranges().offset_of(here, 1) == SymmetricRanges::nowhere;
}

// Empty if the memory here may be device memory.
Reach::Place Rma::place_for_host(Rank rank, const void* object, std::size_t size,
                                 const void* here) const {
  if (kinds_ == nullptr) return place_in_buffer(rank, object, size);
  return may_be_on_device(here) ? Reach::Place{} : place_near(rank, object, size);
}

std::optional<Remote> Rma::place_for_kinds(Rank rank, const void* object, std::size_t size,
                                           const void* here) const {
  if (kinds_ == nullptr) return std::nullopt;
  const Result<Remote> place = locate_any("transfer", rank, object, size);
  if (!place) return std::nullopt;
  const bool is_needed = may_be_on_device(here)
                             ? kinds_->is_needed(*place, {static_cast<const std::byte*>(here), 1})
                             : !place->owner().is_arena();
  return is_needed ? std::optional(*place) : std::nullopt;
}

Reach::Place Rma::place_in_buffer(Rank rank, const void* object, std::size_t size) const {
  if (!reach_.covers(rank)) return late_.find(rank, object, size);
  const BufferPlace place = buffers_.find(rank, object, size);
  return place.is_in_arena() ? Reach::Place{reach_.window(rank), place.offset} : Reach::Place{};
}

Reach::Place Rma::place_near(Rank rank, const void* object, std::size_t size) const {
  const Reach::Place place = reach_.find(rank, object, size);
  return place ? place : place_in_buffer(rank, object, size);
}

// Checks a transfer of many pieces before the first, so that all or nothing is transferred.
bool Rma::is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                   std::size_t size) const {
  const Result<Remote> whole = locate(what, rank, object, size);
  return whole ? true : lane.fail(whole.error());
}

bool Rma::check_array(Lane& lane, const char* what, const void* array, std::size_t size) const {
  if (size == 0) return true;
  const Result<Remote> place = locate_any(what, me_, array, size);
  return place ? true : lane.fail(place.error());
}

bool Rma::put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source, std::size_t size,
                        Buffer buffer) {
  if (size == 0) return true;
  Reach::Place target = place_for_host(to, dest, size, source);
  if (!target && kinds_ != nullptr) {
    if (const auto place = place_for_kinds(to, dest, size, source)) {
      if (!reach_.covers(to) && !is_whole(lane, *kinds_, source, size)) return false;
      const StridedRun piece = one_piece(place->offset, source, size);
      return buffer == Buffer::free_at_return ? kinds_->put(lane, place->owner(), piece)
                                              : kinds_->begin_put(lane, place->owner(), piece);
    }
    target = place_near(to, dest, size);
  }
  if (target) {
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
  Reach::Place origin = place_for_host(from, source, size, dest);
  if (!origin && kinds_ != nullptr) {
    if (const auto place = place_for_kinds(from, source, size, dest)) {
      if (!reach_.covers(from) && !is_whole(lane, *kinds_, dest, size)) return false;
      const StridedRun piece = one_piece(place->offset, dest, size);
      return buffer == Buffer::free_at_return ? kinds_->get(lane, place->owner(), piece)
                                              : kinds_->begin_get(lane, place->owner(), piece);
    }
    origin = place_near(from, source, size);
  }
  if (origin) {
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
  if (!place->owner().is_arena()) return kinds_->request(lane, *place, request);
  return remote_->request(lane, *place, request, "atomic operation");
}

bool Rma::begin_elsewhere(Lane& lane, Rank at, const void* dest, const AtomicRequest& request,
                          std::byte* old) {
  const std::size_t size = width(request.type);
  const Result<Remote> place = aligned(locate_any("atomic operation", at, dest, size), size);
  if (!place) return lane.fail(place.error());
  if (!place->owner().is_arena() || reach_.covers(at) || late_.reaches(at)) {
    const std::optional<std::uint64_t> bytes = request_elsewhere(lane, at, dest, request);
    if (old != nullptr && bytes) std::memcpy(old, &*bytes, size);
    return bytes.has_value();
  }
  return remote_->begin_request(lane, *place, request, old);
}

bool Rma::keep(Lane& lane, void* here, Bytes value) const {
  const Result<void> kept =
      kinds_->any_memory().copy(static_cast<std::byte*>(here), value.data(), value.size());
  return kept ? true : lane.fail(kept.error());
}

// Whether `object` is a valid word for a signal.
bool Rma::is_word(Lane& lane, Rank to, const std::uint64_t* object) const {
  const Result<Remote> word =
      aligned(locate_any("signal", to, object, sizeof(*object)), sizeof(*object));
  return word ? true : lane.fail(word.error());
}

// Sends the signal after the data of earlier puts of the lane. A plain put of the signal could be
// lost between the two copies of another update.
bool Rma::signal_by_kind(Lane& lane, Remote word, const Signal& signal) {
  if (remote_ != nullptr) remote_->order(lane);
  const AtomicOp op = signal.op == SignalOp::set ? AtomicOp::swap : AtomicOp::add;
  return kinds_->request(lane, word, {op, AtomicType::uint64, signal.value}).has_value();
}

// Sends the signal after the data is delivered, or as a message that follows it.
bool Rma::put_signal_elsewhere(Lane& lane, Rank to, const void* dest, Bytes source,
                               const Signal& signal) {
  const std::size_t size = sizeof(signal.value);
  const Reach::Place flag = place_near(to, signal.word, size);
  if (kinds_ != nullptr && !source.empty()) {
    const std::size_t bytes = source.size();
    if (const auto place = place_for_kinds(to, dest, bytes, source.data())) {
      const bool has_word = flag || is_word(lane, to, signal.word);
      const StridedRun piece = one_piece(place->offset, source.data(), bytes);
      if (!has_word || !kinds_->put(lane, place->owner(), piece)) return false;
      source = {};
    }
  }
  const Reach::Place target = source.empty() ? flag : place_near(to, dest, source.size());
  if (flag && target) return write_with_signal(lane, target, source, flag, signal);
  const Result<Remote> word = aligned(locate_any("signal", to, signal.word, size), size);
  if (!word) return lane.fail(word.error());
  if (!word->owner().is_arena()) return signal_by_kind(lane, *word, signal);
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

// Requests to a node are executed in order, so the signal need not wait for earlier ones. It waits
// for device copies and network writes, which nothing orders.
bool Rma::signal_after(Lane& lane, Rank to, const Signal& signal) {
  if (lane.kind_copies().has_any()) kinds_->complete(lane);
  return put_signal(lane, to, signal.word, nullptr, 0, signal);
}

}  // namespace gondwana
