#include "front/armci/rma.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "front/armci/far_move.hpp"
#include "front/armci/kind_move.hpp"
#include "front/armci/near_move.hpp"
#include "operations/strided/copy.hpp"
#include "operations/strided/optimize.hpp"

namespace gondwana::armci {
namespace {

using strided::End;

static_assert(sizeof(int) == 4 && sizeof(long) == 8, "the types of accumulates");

void check_elements(const Call& call, std::size_t size) {
  if (call.adds && size % width(call.adds->type()) != 0)
    give_up(call.name, fmt::format("{} bytes are not whole elements of {} bytes", size,
                                   width(call.adds->type())));
}

void move_transfer(const Call& call, const strided::Transfer& transfer, const Section& section) {
  const strided::Bounds bounds = transfer.bounds(call.side);
  auto* base = static_cast<std::byte*>(theirs(call, section.target, section.source));
  auto* own = static_cast<std::byte*>(ours(call, section.target, section.source));
  if (is_by_kind(call, section.target, section.source)) [[unlikely]] {
    const KindMove pieces = begin_by_kind(call);
    return for_each_run(transfer, call.side, reinterpret_cast<std::uintptr_t>(base), own,
                        [&](const StridedRun& run) { pieces.move(run); });
  }
  const auto size = static_cast<std::size_t>(bounds.end - bounds.begin);
  const Place place = call.door.memory().find(call.name, call.proc, base + bounds.begin, size);
  if (place.here == nullptr) {
    const std::uint64_t offset = place.elsewhere.offset - static_cast<std::uint64_t>(bounds.begin);
    return move_section_far(call, place.elsewhere.rank, transfer, offset, own);
  }
  std::byte* there = place.here - bounds.begin;
  if (!call.adds) {
    is_put(call) ? strided::copy(transfer, there, own) : strided::copy(transfer, own, there);
    CounterBlock& counters = call.door.lane().counters();
    if (!is_put(call)) return counters.add_get(transfer.bytes());
    counters.add_put(transfer.bytes());
    return call.door.memory().wake(call.proc);
  }
  NearMove near(call);
  for_each_run(transfer, call.side, reinterpret_cast<std::uintptr_t>(there), own,
               [&](const StridedRun& run) { near.move(run); });
  near.finish();
}

void move_run(const Call& call, const Section& section) {
  const auto size = static_cast<std::size_t>(section.counts[0]);
  const auto count = static_cast<std::size_t>(section.counts[1]);
  const int* their_strides = is_put(call) ? section.target_strides : section.source_strides;
  const int* our_strides = is_put(call) ? section.source_strides : section.target_strides;
  StridedRun run{.size = size,
                 .count = count,
                 .there_stride = their_strides[0],
                 .here = static_cast<std::byte*>(ours(call, section.target, section.source)),
                 .here_stride = our_strides[0]};
  const std::size_t span = (count - 1) * static_cast<std::size_t>(run.there_stride) + size;
  void* base = theirs(call, section.target, section.source);
  const Place place = call.door.memory().find(call.name, call.proc, base, span);
  if (place.here == nullptr) {
    run.there = place.elsewhere.offset;
    return move_far(call, place.elsewhere.rank, std::span(&run, 1));
  }
  run.there = reinterpret_cast<std::uintptr_t>(place.here);
  NearMove near(call);
  near.move(run);
  near.finish();
}

}  // namespace

void check_shape(CallName name, const int* counts, int levels) {
  if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
    give_up(name,
            fmt::format("{} levels of strides: expected 0 to {}", levels, ARMCI_MAX_STRIDE_LEVEL));
  for (int i = 0; i <= levels; ++i) checked_size(name, counts[i]);
}

AllStrides wide(const int* strides, int levels) {
  AllStrides all{};
  std::copy_n(strides, levels, all.begin());
  return all;
}

strided::Transfer optimized(CallName name, const Shape& shape, End ordered) {
  const auto levels = static_cast<std::size_t>(shape.levels);
  std::array<std::size_t, ARMCI_MAX_STRIDE_LEVEL> extents{};
  std::copy_n(shape.counts + 1, levels, extents.begin());
  const Result<strided::Transfer> transfer =
      strided::optimize({static_cast<std::size_t>(shape.counts[0]),
                         {extents.data(), levels},
                         {shape.target.data(), levels},
                         {shape.source.data(), levels}},
                        ordered);
  if (!transfer) give_up(name, transfer.error().text);
  return *transfer;
}

int checked_size(CallName name, int size) {
  if (size < 0) [[unlikely]]
    give_up(name, fmt::format("a negative size, {}", size));
  return size;
}

static_assert(ARMCI_ACC_INT == static_cast<int>(AccumulateType::int32) &&
              ARMCI_ACC_LNG == static_cast<int>(AccumulateType::int64) &&
              ARMCI_ACC_FLT == static_cast<int>(AccumulateType::float32) &&
              ARMCI_ACC_DBL == static_cast<int>(AccumulateType::float64) &&
              ARMCI_ACC_CPL == static_cast<int>(AccumulateType::complex64) &&
              ARMCI_ACC_DCP == static_cast<int>(AccumulateType::complex128));

Accumulation accumulation_of(CallName name, int datatype, const void* scale) {
  if (datatype < 0 || static_cast<std::size_t>(datatype) >= accumulate_types)
    give_up(name,
            fmt::format("type {}: expected ARMCI_ACC_INT, LNG, FLT, DBL, CPL or DCP", datatype));
  return {static_cast<AccumulateType>(datatype), scale};
}

void move_piece(const Call& call, void* target, void* source, std::size_t size) {
  if (size == 0) return;
  Door& door = call.door;
  void* base = theirs(call, target, source);
  auto* own = static_cast<std::byte*>(ours(call, target, source));
  if (is_by_kind(call, target, source)) [[unlikely]] {
    check_elements(call, size);
    return begin_by_kind(call).move(
        {.size = size, .count = 1, .there = reinterpret_cast<std::uintptr_t>(base), .here = own});
  }
  const Place place = door.memory().find(call.name, call.proc, base, size);
  check_elements(call, size);
  const StridedRun piece{.size = size,
                         .count = 1,
                         .there = place.here != nullptr
                                      ? reinterpret_cast<std::uintptr_t>(place.here)
                                      : place.elsewhere.offset,
                         .here = own};
  if (place.here != nullptr) {
    NearMove near(call);
    near.move(piece);
    return near.finish();
  }
  if (call.adds || (!is_put(call) && !call.waits))
    return move_far(call, place.elsewhere.rank, std::span(&piece, 1));
  RemoteAccess& remote = door.engine().remote();
  if (!is_put(call))
    return door.check(call.name, remote.get(door.lane(), {own, size}, place.elsewhere));
  door.order(call.name);
  door.check(call.name, remote.put(door.lane(), place.elsewhere, {own, size}));
}

void move_section(const Call& call, const Section& section) {
  check_shape(call.name, section.counts, section.levels);
  if (std::count(section.counts, section.counts + section.levels + 1, 0) > 0) return;
  const auto run = static_cast<std::size_t>(section.counts[0]);
  check_elements(call, run);
  if (section.levels == 0) return move_piece(call, section.target, section.source, run);
  // Rows with positive strides need no optimizer.
  if (!is_by_kind(call, section.target, section.source) && section.levels == 1 &&
      section.source_strides[0] >= section.counts[0] &&
      section.target_strides[0] >= section.counts[0])
    return move_run(call, section);
  const AllStrides target = wide(section.target_strides, section.levels);
  const AllStrides source = wide(section.source_strides, section.levels);
  move_transfer(call,
                optimized(call.name, {section.counts, section.levels, target, source}, call.side),
                section);
}

namespace {

// Pieces out of reach are sent together.
class ListMove {
 public:
  explicit ListMove(const Call& call) : call_(call) {}

  void move(void* target, void* source, std::size_t size) {
    StridedRun piece{
        .size = size, .count = 1, .here = static_cast<std::byte*>(ours(call_, target, source))};
    void* base = theirs(call_, target, source);
    if (is_by_kind(call_, target, source)) [[unlikely]] {
      piece.there = reinterpret_cast<std::uintptr_t>(base);
      return begin_by_kind(call_).move(piece);
    }
    const Place place = call_.door.memory().find(call_.name, call_.proc, base, size);
    if (place.here == nullptr) {
      piece.there = place.elsewhere.offset;
      return far_.push_back(piece);
    }
    if (!near_) near_.emplace(call_);
    piece.there = reinterpret_cast<std::uintptr_t>(place.here);
    near_->move(piece);
  }

  void finish(Rank rank) {
    if (near_) near_->finish();
    if (!far_.empty()) move_far(call_, rank, far_);
  }

 private:
  const Call& call_;
  std::optional<NearMove> near_;
  std::vector<StridedRun> far_;
};

}  // namespace

void move_list(const Call& call, const armci_giov_t* list, int length) {
  const Rank rank = call.door.checked_rank(call.name, call.proc);
  checked_size(call.name, length);
  ListMove move(call);
  for (int i = 0; i < length; ++i) {
    const armci_giov_t& each = list[i];
    const auto size = static_cast<std::size_t>(checked_size(call.name, each.bytes));
    check_elements(call, size);
    checked_size(call.name, each.ptr_array_len);
    for (int j = 0; size > 0 && j < each.ptr_array_len; ++j)
      move.move(each.dst_ptr_array[j], each.src_ptr_array[j], size);
  }
  move.finish(rank);
}

void store_flag(const Call& call, int* flag, int value) {
  const Place place = call.door.memory().find(call.name, call.proc, flag, sizeof(value));
  if (place.here == nullptr) {
    call.door.order(call.name);
    return call.door.check(call.name,
                           call.door.engine().remote().put(call.door.lane(), place.elsewhere,
                                                           std::as_bytes(std::span(&value, 1))));
  }
  std::atomic_ref(*reinterpret_cast<int*>(place.here)).store(value, std::memory_order_release);
  call.door.memory().wake(call.proc);
}

}  // namespace gondwana::armci
