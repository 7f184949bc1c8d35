// One-sided access to the memory of all ranks.
//
// Within reach, an operation is inline: check bounds, find the window, copy, ring the doorbell. All
// others use remote access. Many threads may call at once, each through a suitable lane. The class
// mirrors the list of operations.
//
// Calls return false or nothing if they fail; the lane then holds the error. quiet() or a barrier
// makes effects visible at the target; fence() orders them per target. When a blocking put returns,
// its source may be reused. When a get returns, it has its data.
#pragma once

#include <atomic>
#include <cstring>
#include <optional>
#include <span>

#include "engine/arguments.hpp"
#include "engine/rma/extent.hpp"
#include "engine/rma/kind_access.hpp"
#include "engine/rma/lane.hpp"
#include "engine/rma/late_ranks.hpp"
#include "engine/rma/reach.hpp"
#include "engine/rma/remote_access.hpp"
#include "engine/spaces/buffers.hpp"
#include "engine/symmetric/symmetric_memory.hpp"
#include "operations/atomic_op.hpp"
#include "operations/copy.hpp"
#include "operations/strided/copy.hpp"

namespace gondwana {

class Rma {
 public:
  // `remote`: null in a job on one node. `kinds`: null if the process has no device.
  Rma(const Reach& reach, const LateRanks& late, const SymmetricMemory& symmetric,
      const RegisteredBuffers& buffers, Rank me, std::uint32_t ranks, RemoteAccess* remote,
      KindAccess* kinds)
      : reach_(reach),
        late_(late),
        copies_(kinds == nullptr ? reach : Reach()),
        symmetric_(symmetric),
        buffers_(buffers),
        me_(me),
        ranks_(ranks),
        remote_(remote),
        kinds_(kinds),
        may_be_in_flight_(remote != nullptr || kinds != nullptr) {}
  Rma(const Rma&) = delete;
  Rma& operator=(const Rma&) = delete;

  const Reach& reach() const { return reach_; }
  const LateRanks& late() const { return late_; }
  // The ranks to and from whose arenas loads and stores may copy any memory of this process.
  const Reach& copies() const { return copies_; }
  // The ranks that this rank knows by its world: 0 and those below this number.
  std::uint32_t ranks() const { return ranks_; }
  // Sets the number of ranks in the world. This rank uses loads and stores for ranks of the node
  // with numbers below `end`. No other call may be in progress.
  void cover(std::uint32_t ranks, std::uint32_t end) {
    reach_.cover(end);
    copies_.cover(end);
    ranks_ = ranks;
  }
  // Whether loads and stores reach all ranks.
  bool reaches_all() const { return reach_.covers_all(ranks_); }

  // `dest` or `source` at the peer is passed as this rank's address of the same object.
  bool put(Lane& lane, Rank to, void* dest, const void* source, std::size_t size,
           Buffer buffer = Buffer::free_at_return);
  bool get(Lane& lane, Rank from, void* dest, const void* source, std::size_t size,
           Buffer buffer = Buffer::free_at_return);
  bool put_strided(Lane& lane, Rank to, void* dest, const void* source, const Blocks& blocks);
  bool get_strided(Lane& lane, Rank from, void* dest, const void* source, const Blocks& blocks);
  // A rank that sees the signal sees the data. All or nothing is written. The source may be reused.
  bool put_signal(Lane& lane, Rank to, void* dest, const void* source, std::size_t size,
                  const Signal& signal);
  // Updates the signal after all earlier puts of the lane to that rank.
  bool signal_after(Lane& lane, Rank to, const Signal& signal);
  // Returns the previous value. Single values and atomics try the lane's shortcut first.
  template <AtomicOp Op, typename T>
  std::optional<T> atomic(Lane& lane, Rank at, T* dest, T operand, T compare);
  // For a caller that does not wait for the previous value, which is in `old` after quiet(). `old`
  // may be in device memory. If it is null, the value is dropped.
  template <AtomicOp Op, typename T>
  bool begin_atomic(Lane& lane, Rank at, T* dest, T operand, T compare, T* old);

  // Puts of this lane to each target before the fence are visible before later ones.
  void fence(Lane& lane) const {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    if (may_be_in_flight_) [[unlikely]]
      fence_slowly(lane);
  }
  // Waits until all puts of this lane are delivered at their targets. Returns false if one failed.
  bool quiet(Lane& lane) const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return deliver(lane);
  }
  // Like quiet(), for a caller whose next step is an atomic operation. On a node, the atomic
  // operation is itself a fence.
  bool deliver(Lane& lane) const {
    if (may_be_in_flight_) [[unlikely]]
      drain(lane);
    return !lane.failed();
  }

  // The address of the object in this process; null if loads and stores do not reach it.
  void* pointer_to(Rank rank, const void* object) const;
  bool is_symmetric(const void* object) const {
    return symmetric_.ranges().offset_of(object, 1) != SymmetricRanges::nowhere;
  }
  // Whether the rank has a counterpart: in symmetric memory, or in a registered buffer.
  bool has_counterpart(Rank rank, const void* object) const {
    return is_symmetric(object) || buffers_.find(rank, object, 1);
  }
  // Whether all ranks have this object. If not, the lane holds the error, which calls the object
  // `what`.
  bool check_symmetric(Lane& lane, const char* what, const void* object, std::size_t size) const {
    return symmetric_.ranges().offset_of(object, size) != SymmetricRanges::nowhere ||
           is_valid(lane, what, me_, object, size);
  }
  // Between the calls with true and false, operations to other nodes gather.
  void gather(bool begins) const {
    if (remote_ != nullptr) remote_->gather(begins);
  }
  // Whether an array of a collective is symmetric memory. An array of 0 bytes may be anywhere.
  bool is_symmetric(const void* array, std::size_t size) const {
    return size == 0 || symmetric_.ranges().offset_of(array, size) != SymmetricRanges::nowhere;
  }
  // The same, but also accepts registered buffers. If neither, the lane holds the error.
  bool check_array(Lane& lane, const char* what, const void* array, std::size_t size) const;

 private:
  void fence_slowly(Lane& lane) const;
  void drain(Lane& lane) const;
  // The slow path: device memory, a registered buffer, the network, or an error.
  bool put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source, std::size_t size,
                     Buffer buffer = Buffer::free_at_return);
  bool get_elsewhere(Lane& lane, Rank from, void* dest, const void* source, std::size_t size,
                     Buffer buffer = Buffer::free_at_return);
  bool put_strided_elsewhere(Lane& lane, Rank to, void* dest, const void* source,
                             const Blocks& blocks);
  bool get_strided_elsewhere(Lane& lane, Rank from, void* dest, const void* source,
                             const Blocks& blocks);
  std::optional<std::uint64_t> request_elsewhere(Lane& lane, Rank at, const void* dest,
                                                 const AtomicRequest& request);
  bool begin_elsewhere(Lane& lane, Rank at, const void* dest, const AtomicRequest& request,
                       std::byte* old);
  bool put_signal_elsewhere(Lane& lane, Rank to, const void* dest, Bytes source,
                            const Signal& signal);
  // Writes to memory of this process that may be device memory.
  bool keep(Lane& lane, void* here, Bytes value) const;
  bool is_word(Lane& lane, Rank to, const std::uint64_t* object) const;
  bool signal_by_kind(Lane& lane, Remote word, const Signal& signal);
  static bool write_with_signal(Lane& lane, Reach::Place target, Bytes source, Reach::Place flag,
                                const Signal& signal);
  bool may_be_on_device(const void* here) const;
  // The location of a symmetric object within reach, if the local memory is certainly host memory.
  // Called after copies_, which covers no rank if the process may have devices.
  [[gnu::always_inline]] Reach::Place place_beside_devices(Rank rank, const void* object,
                                                           std::size_t size,
                                                           const void* here) const {
    return kinds_ != nullptr && !kinds_->may_be_on_device(here) ? reach_.find(rank, object, size)
                                                                : Reach::Place{};
  }
  Reach::Place place_for_host(Rank rank, const void* object, std::size_t size,
                              const void* here) const;
  // The location of the object if it or the local memory is on a device; nothing if the call is
  // invalid.
  std::optional<Remote> place_for_kinds(Rank rank, const void* object, std::size_t size,
                                        const void* here) const;
  // Empty if the rank is out of reach or the object is in no registered buffer.
  Reach::Place place_in_buffer(Rank rank, const void* object, std::size_t size) const;
  Reach::Place place_near(Rank rank, const void* object, std::size_t size) const;
  // Accepts symmetric memory.
  Result<Remote> locate(const char* what, Rank rank, const void* object, std::size_t size) const;
  // Also accepts registered buffers.
  Result<Remote> locate_any(const char* what, Rank rank, const void* object,
                            std::size_t size) const;
  bool is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                std::size_t size) const;

  Reach reach_;
  LateRanks late_;
  Reach copies_;  // covers no rank if this process has a device
  const SymmetricMemory& symmetric_;
  const RegisteredBuffers& buffers_;
  Rank me_;
  std::uint32_t ranks_;
  RemoteAccess* remote_;
  KindAccess* kinds_;
  bool may_be_in_flight_;  // operations may be in flight after their calls
};

[[gnu::always_inline]] inline bool Rma::put(Lane& lane, Rank to, void* dest, const void* source,
                                            std::size_t size, Buffer buffer) {
  Reach::Place target = copies_.find(to, dest, size);
  if (!target) [[unlikely]]
    target = place_beside_devices(to, dest, size, source);
  if (!target) [[unlikely]]
    return put_elsewhere(lane, to, dest, source, size, buffer);
  lane.counters().add_put(size);
  copy_to_peer(target.data(), static_cast<const std::byte*>(source), size);
  Reach::wake(target.window);
  return true;
}

[[gnu::always_inline]] inline bool Rma::get(Lane& lane, Rank from, void* dest, const void* source,
                                            std::size_t size, Buffer buffer) {
  Reach::Place origin = copies_.find(from, source, size);
  if (!origin) [[unlikely]]
    origin = place_beside_devices(from, source, size, dest);
  if (!origin) [[unlikely]]
    return get_elsewhere(lane, from, dest, source, size, buffer);
  lane.counters().add_get(size);
  copy_from_peer(static_cast<std::byte*>(dest), origin.data(), size);
  return true;
}

[[gnu::always_inline]] inline bool Rma::put_strided(Lane& lane, Rank to, void* dest,
                                                    const void* source, const Blocks& blocks) {
  const auto [width, size, count, strides] = blocks;
  if (count == 0 || size == 0) return true;
  const Extent span = extent_of(count, strides.target, width, size);
  const std::byte* object = static_cast<std::byte*>(dest) + span.begin;
  Reach::Place target = copies_.find(to, object, span.size);
  if (!target) [[unlikely]]
    target = place_beside_devices(to, object, span.size, source);
  if (!target) [[unlikely]]
    return put_strided_elsewhere(lane, to, dest, source, blocks);
  const Strides in_bytes = byte_strides(blocks);
  strided::copy_blocks(size, count, {target.data() - span.begin, in_bytes.target},
                       {static_cast<const std::byte*>(source), in_bytes.source});
  Reach::wake(target.window);
  lane.counters().add_put(count * size);
  return true;
}

[[gnu::always_inline]] inline bool Rma::get_strided(Lane& lane, Rank from, void* dest,
                                                    const void* source, const Blocks& blocks) {
  const auto [width, size, count, strides] = blocks;
  if (count == 0 || size == 0) return true;
  const Extent span = extent_of(count, strides.source, width, size);
  const std::byte* object = static_cast<const std::byte*>(source) + span.begin;
  Reach::Place origin = copies_.find(from, object, span.size);
  if (!origin) [[unlikely]]
    origin = place_beside_devices(from, object, span.size, dest);
  if (!origin) [[unlikely]]
    return get_strided_elsewhere(lane, from, dest, source, blocks);
  const Strides in_bytes = byte_strides(blocks);
  strided::copy_blocks(size, count, {static_cast<std::byte*>(dest), in_bytes.target},
                       {origin.data() - span.begin, in_bytes.source});
  lane.counters().add_get(count * size);
  return true;
}

[[gnu::always_inline]] inline bool Rma::put_signal(Lane& lane, Rank to, void* dest,
                                                   const void* source, std::size_t size,
                                                   const Signal& signal) {
  const Reach::Place flag = reach_.find(to, signal.word, FixedSize<sizeof(std::uint64_t)>{});
  Reach::Place target = size == 0 ? flag : copies_.find(to, dest, size);
  if (!target) [[unlikely]]
    target = place_beside_devices(to, dest, size, source);
  if (!flag || !target) [[unlikely]]
    return put_signal_elsewhere(lane, to, dest, {static_cast<const std::byte*>(source), size},
                                signal);
  return write_with_signal(lane, target, {static_cast<const std::byte*>(source), size}, flag,
                           signal);
}

[[gnu::always_inline]] inline bool Rma::write_with_signal(Lane& lane, Reach::Place target,
                                                          Bytes source, Reach::Place flag,
                                                          const Signal& signal) {
  CounterBlock& counters = lane.counters();
  if (!source.empty()) {
    counters.add_put(source.size());
    copy_to_peer(target.data(), source.data(), source.size());
  }
  const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(flag.data()));
  if (signal.op == SignalOp::set) {
    counters.add_value_put<sizeof(std::uint64_t)>();
    word.store(signal.value, std::memory_order_release);  // pairs with readers' acquire
  } else {
    counters.add(Count::atomics);
    word.fetch_add(signal.value, std::memory_order_release);  // pairs with readers' acquire
  }
  Reach::wake(flag.window);
  return true;
}

template <AtomicOp Op, typename T>
std::optional<T> Rma::atomic(Lane& lane, Rank at, T* dest, T operand, T compare) {
  if (const Reach::Place target = reach_.find(at, dest, FixedSize<sizeof(T)>{})) {
    lane.counters().add(Count::atomics);
    const T old = apply_atomic<Op>(*reinterpret_cast<T*>(target.data()), operand, compare);
    Reach::wake(target.window);
    return old;
  }
  const std::optional<std::uint64_t> bytes =
      request_elsewhere(lane, at, dest, atomic_request<Op>(operand, compare));
  if (!bytes) return std::nullopt;
  T old;
  std::memcpy(&old, &*bytes, sizeof(T));
  return old;
}

template <AtomicOp Op, typename T>
bool Rma::begin_atomic(Lane& lane, Rank at, T* dest, T operand, T compare, T* old) {
  if (old != nullptr && kinds_ != nullptr && kinds_->may_be_on_device(old)) [[unlikely]] {
    const std::optional<T> found = atomic<Op>(lane, at, dest, operand, compare);
    return found && keep(lane, old, std::as_bytes(std::span(&*found, 1)));
  }
  if (!reach_.find(at, dest, FixedSize<sizeof(T)>{}))
    return begin_elsewhere(lane, at, dest, atomic_request<Op>(operand, compare),
                           reinterpret_cast<std::byte*>(old));
  const std::optional<T> found = atomic<Op>(lane, at, dest, operand, compare);
  if (old != nullptr) *old = *found;
  return true;
}

inline void* Rma::pointer_to(Rank rank, const void* object) const {
  const Reach::Place place = place_near(rank, object, 1);
  if (!place) return nullptr;
  // A program may compare addresses of its own globals, so for this rank it gets the original
  // address.
  return rank == me_ ? const_cast<void*>(object) : place.data();
}

}  // namespace gondwana
