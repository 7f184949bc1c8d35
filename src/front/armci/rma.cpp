#include "front/armci/rma.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "engine/rma/far_pieces.hpp"
#include "engine/rma/near_accumulate.hpp"
#include "operations/strided/copy.hpp"
#include "operations/strided/optimize.hpp"

namespace gondwana::armci {
namespace {

using strided::End;

static_assert(sizeof(int) == 4 && sizeof(long) == 8, "the types of accumulates");

bool is_put(const Call& call) {
  return call.side == End::target;
}

// The addresses of a move at the peer and in this process.
void* theirs(const Call& call, void* target, void* source) {
  return is_put(call) ? target : source;
}
void* ours(const Call& call, void* target, void* source) {
  return is_put(call) ? source : target;
}

void check_elements(const Call& call, std::size_t size) {
  if (call.adds && size % width(call.adds->type()) != 0)
    give_up(call.name, fmt::format("{} bytes are not whole elements of {} bytes", size,
                                   width(call.adds->type())));
}

// Moves pieces whose peer memory is mapped here.
class Near {
 public:
  explicit Near(const Call& call) : call_(call) {
    if (call.adds)
      adds_.emplace(call.door.engine().memory(), call.door.engine().waiter(), call.name,
                    Rank(static_cast<std::uint32_t>(call.proc)), *call.adds);
  }
  // `there`: an address in this process.
  void move(const StridedRun& run) {
    auto* there = reinterpret_cast<std::byte*>(run.there);
    if (adds_) {
      for (std::size_t i = 0; i < run.count; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        adds_->add(there + at * run.there_stride, run.here + at * run.here_stride, run.size);
      }
    } else if (is_put(call_)) {
      strided::copy_blocks(run.size, run.count, {there, run.there_stride},
                           {run.here, run.here_stride});
    } else {
      strided::copy_blocks(run.size, run.count, {run.here, run.here_stride},
                           {there, run.there_stride});
    }
    bytes_ += run.bytes();
  }
  void finish() {
    CounterBlock& counters = call_.door.lane().counters();
    if (!is_put(call_)) return counters.add_get(bytes_);
    counters.add_put(bytes_);
    adds_.reset();  // before another process wakes
    call_.door.memory().wake(call_.proc);
  }

 private:
  const Call& call_;
  std::optional<NearAccumulate> adds_;
  std::size_t bytes_ = 0;
};

// A put or get of pieces of a process out of reach. `tell(pieces)` moves them all.
template <typename Tell>
void tell_far(const Call& call, Rank rank, const Tell& tell) {
  Door& door = call.door;
  if (is_put(call))
    door.order(call.name);
  else
    door.check(call.name, door.engine().rma().deliver(door.lane()));
  auto pieces = std::make_unique<FarPieces>(door.engine().remote(), door.lane(), rank, call.side,
                                            RemoteAccess::NoRoom::wait);
  if (is_put(call)) pieces->need_not_arrive();
  tell(*pieces);
  if (is_put(call) || call.waits)
    return door.check(call.name, pieces->finish(call.name) == RemoteAccess::Begun::pending);
  pieces->begin();
  door.transfers().keep(call.handle, std::move(pieces));
}

// The lane counts the requests. Their sources may be reused on return.
void accumulate_far(const Call& call, Rank rank, std::span<const StridedRun> runs) {
  Door& door = call.door;
  door.order(call.name);
  Lane& lane = door.lane();
  door.check(call.name, door.engine().remote().begin_accumulate(lane, rank, *call.adds, runs,
                                                                lane.posted().pending()) ==
                            RemoteAccess::Begun::pending);
}

[[gnu::noinline]] void move_far(const Call& call, Rank rank, std::span<const StridedRun> runs) {
  if (call.adds) return accumulate_far(call, rank, runs);
  tell_far(call, rank, [&](FarPieces& pieces) {
    for (const StridedRun& run : runs) pieces.move(run);
  });
}

[[gnu::noinline]] void move_section_far(const Call& call, Rank rank,
                                        const strided::Transfer& transfer, std::uint64_t offset,
                                        std::byte* own) {
  if (!call.adds)
    return tell_far(call, rank, [&](FarPieces& pieces) {
      gondwana::move_section(pieces, transfer, offset, own);
    });
  std::vector<StridedRun> runs;  // the maximum of one message
  for_each_run(transfer, call.side, offset, own, [&](const StridedRun& run) {
    runs.push_back(run);
    if (runs.size() < max_runs) return;
    accumulate_far(call, rank, runs);
    runs.clear();
  });
  accumulate_far(call, rank, runs);
}

// A transfer with device memory on at least one side. The device side is the local one, or both
// are, as in the engine's put and get.
class KindMove {
 public:
  explicit KindMove(const Call& call) : call_(call) {}

  // `there`: an address, as calls name memory of the other process.
  void move(const StridedRun& run) {
    const auto last = static_cast<std::ptrdiff_t>(run.count - 1) * run.there_stride;
    auto* first = reinterpret_cast<std::byte*>(run.there);
    std::byte* lowest = first + std::min<std::ptrdiff_t>(last, 0);
    const std::size_t span = run.size + static_cast<std::size_t>(std::abs(last));
    const Place place = call_.door.memory().find(call_.name, call_.proc, lowest, span);
    if (call_.adds) return add(run, place, first - lowest);
    const std::byte* window = call_.door.memory().window_of(call_.proc, place.here, span);
    if (place.here != nullptr && window == nullptr) return copy(run);
    Remote there = place.elsewhere;
    if (window != nullptr)
      there = {Rank(static_cast<std::uint32_t>(call_.proc)),
               static_cast<std::size_t>(place.here - window)};
    StridedRun in_space = run;
    in_space.there = there.offset + static_cast<std::uint64_t>(first - lowest);
    KindAccess& access = *call_.door.engine().kind_access();
    call_.door.check(call_.name, is_put(call_)
                                     ? access.put(call_.door.lane(), there.owner(), in_space)
                                     : access.get(call_.door.lane(), there.owner(), in_space));
  }

 private:
  // Both sides are in memory of this process alone.
  void copy(const StridedRun& run) const {
    for (std::size_t i = 0; i < run.count; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      auto* there = reinterpret_cast<std::byte*>(run.there) + at * run.there_stride;
      std::byte* here = run.here + at * run.here_stride;
      is_put(call_) ? call_.door.memory().copy(call_.name, there, here, run.size)
                    : call_.door.memory().copy(call_.name, here, there, run.size);
    }
  }
  void add(const StridedRun& run, const Place& place, std::ptrdiff_t from_lowest) {
    if (call_.door.memory().may_be_on_device(place.here))
      give_up(call_.name, fmt::format("{}: device memory, which accumulates do not support",
                                      fmt::ptr(place.here)));
    std::vector<std::byte> terms(run.bytes());
    StridedRun packed = run;
    packed.here = terms.data();
    packed.here_stride = static_cast<std::ptrdiff_t>(run.size);
    for (std::size_t i = 0; i < run.count; ++i)
      call_.door.memory().copy(call_.name, terms.data() + i * run.size,
                               run.here + static_cast<std::ptrdiff_t>(i) * run.here_stride,
                               run.size);
    if (place.here == nullptr) {
      packed.there = place.elsewhere.offset + static_cast<std::uint64_t>(from_lowest);
      return accumulate_far(call_, place.elsewhere.rank, std::span(&packed, 1));
    }
    packed.there = reinterpret_cast<std::uintptr_t>(place.here + from_lowest);
    Near near(call_);
    near.move(packed);
    near.finish();
  }

  const Call& call_;
};

// Whether the call names memory that loads and stores may not touch.
bool is_by_kind(const Call& call, const void* target, const void* source) {
  return call.door.memory().has_devices() && (call.door.memory().may_be_on_device(target) ||
                                              call.door.memory().may_be_on_device(source));
}

// Waits first for puts and gets in flight to other nodes.
KindMove begin_by_kind(const Call& call) {
  if (!call.door.engine().rma().reaches_all()) call.door.order(call.name);
  return KindMove(call);
}

void move_transfer(const Call& call, const strided::Transfer& transfer, const Section& section) {
  const strided::Bounds bounds = transfer.bounds(call.side);
  auto* base = static_cast<std::byte*>(theirs(call, section.target, section.source));
  auto* own = static_cast<std::byte*>(ours(call, section.target, section.source));
  if (is_by_kind(call, section.target, section.source)) [[unlikely]] {
    KindMove pieces = begin_by_kind(call);
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
  Near near(call);
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
  Near near(call);
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
    Near near(call);
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

// Pieces out of reach are sent together.
void move_list(const Call& call, const armci_giov_t* list, int length) {
  const Rank rank = call.door.checked_rank(call.name, call.proc);
  checked_size(call.name, length);
  std::optional<Near> near;
  std::vector<StridedRun> far;
  for (int i = 0; i < length; ++i) {
    const armci_giov_t& each = list[i];
    const auto size = static_cast<std::size_t>(checked_size(call.name, each.bytes));
    check_elements(call, size);
    checked_size(call.name, each.ptr_array_len);
    for (int j = 0; size > 0 && j < each.ptr_array_len; ++j) {
      void* target = each.dst_ptr_array[j];
      void* source = each.src_ptr_array[j];
      if (is_by_kind(call, target, source)) [[unlikely]] {
        begin_by_kind(call).move(
            {.size = size,
             .count = 1,
             .there = reinterpret_cast<std::uintptr_t>(theirs(call, target, source)),
             .here = static_cast<std::byte*>(ours(call, target, source))});
        continue;
      }
      const Place place =
          call.door.memory().find(call.name, call.proc, theirs(call, target, source), size);
      StridedRun piece{.size = size,
                       .count = 1,
                       .there = place.elsewhere.offset,
                       .here = static_cast<std::byte*>(ours(call, target, source))};
      if (place.here == nullptr) {
        far.push_back(piece);
        continue;
      }
      if (!near) near.emplace(call);
      piece.there = reinterpret_cast<std::uintptr_t>(place.here);
      near->move(piece);
    }
  }
  if (near) near->finish();
  if (!far.empty()) move_far(call, rank, far);
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
