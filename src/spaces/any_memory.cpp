#include "spaces/any_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace gondwana {
namespace {

// The range of the offsets of all pieces, relative to the first.
struct Span {
  std::size_t below;
  std::size_t size;
};

Span span_of(const StridedRun& pieces) {
  const std::ptrdiff_t last = pieces.there_stride * (static_cast<std::ptrdiff_t>(pieces.count) - 1);
  const auto below = static_cast<std::size_t>(std::max<std::ptrdiff_t>(-last, 0));
  return {below, below + static_cast<std::size_t>(std::max<std::ptrdiff_t>(last, 0)) + pieces.size};
}

bool is_contiguous(std::ptrdiff_t stride, std::size_t size, std::size_t count) {
  return count == 1 || stride == static_cast<std::ptrdiff_t>(size);
}

bool are_strangers(const Kind* one, const Kind* other) {
  return one != nullptr && other != nullptr && !one->reaches(*other);
}

void add(DeviceTraffic& traffic, const Kind* kind, std::atomic<std::uint64_t> KindTraffic::* which,
         std::size_t bytes) {
  if (kind == nullptr) return;
  const DeviceId device = kind->device();
  KindTraffic& row = traffic.kinds.at(static_cast<std::size_t>(device.kind));
  if (row.kind[0].load(std::memory_order_relaxed) == 0) {
    const std::string name = name_of(device);
    store_name(row.kind, std::string_view(name).substr(0, name.find(':')));
  }
  (row.*which).fetch_add(bytes, std::memory_order_relaxed);
}

// A copy in progress, as tools see it. If both kinds are null it is a host copy, which is not
// counted.
class Counted {
 public:
  // passing: one side is a host buffer, for data to or from another node. served: the agent copies
  // for ranks of other nodes.
  enum class Way : std::uint8_t { direct, passing, served };

  Counted(DeviceTraffic& traffic, const Kind* to, const Kind* from, std::size_t bytes, Way way)
      : pending_(to == nullptr && from == nullptr ? nullptr
                 : way == Way::served             ? &traffic.served
                                                  : &traffic.pending) {
    if (pending_ == nullptr) return;
    pending_->fetch_add(1, std::memory_order_relaxed);
    add(traffic, to, &KindTraffic::to, bytes);
    add(traffic, from, &KindTraffic::from, bytes);
    if (way != Way::direct || are_strangers(to, from))
      traffic.bounced.fetch_add(bytes, std::memory_order_relaxed);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    if (pending_ != nullptr) pending_->fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t>* pending_;
};

}  // namespace

namespace {

Error leaves_memory(Bytes memory) {
  return {Errc::invalid_argument,
          fmt::format(
              "{} bytes starting at {} begin on a device, but are not in one of its allocations",
              memory.size(), fmt::ptr(memory.data()))};
}

}  // namespace

Result<Kind*> AnyMemory::owner_of(Bytes here) {
  Kind* kind = kinds_.of(here);
  if (kind == nullptr && kinds_.of(here.first(1)) != nullptr) return leaves_memory(here);
  return kind;
}

Result<AnyMemory::Located> AnyMemory::locate(Remote place, std::size_t size) {
  if (place.owner().is_arena()) return Located{nullptr, memory_.window(place.rank) + place.offset};
  const Result<DeviceView> view = views_.find(place, size);
  if (!view) return view.error();
  return Located{view->kind, view->memory.data()};
}

// Returns the location of the first piece.
Result<AnyMemory::Located> AnyMemory::locate(Space space, const StridedRun& pieces) {
  const Span span = span_of(pieces);
  Result<Located> lowest = locate({space, pieces.there - span.below}, span.size);
  if (lowest) lowest->data += span.below;
  return lowest;
}

Result<void> AnyMemory::check(Space space, const StridedRun& pieces) {
  const Result<Located> there = locate(space, pieces);
  return there ? Result<void>{} : there.error();
}

Result<void> AnyMemory::check(Remote place, std::size_t size) {
  return check(place.owner(), {.size = size, .count = 1, .there = place.offset});
}

Result<void> AnyMemory::put(Space to, const StridedRun& pieces) {
  if (pieces.bytes() == 0) return {};
  const Result<Located> there = locate(to, pieces);
  if (!there) return there.error();
  const Result<Kind*> here = owner_of({pieces.here, pieces.size});
  if (!here) return here.error();
  const Counted counted(traffic_of(to.rank), there->kind, *here, pieces.bytes(),
                        me_ ? Counted::Way::direct : Counted::Way::served);
  return copy({there->data, pieces.there_stride}, there->kind, {pieces.here, pieces.here_stride},
              *here, pieces.size, pieces.count);
}

Result<void> AnyMemory::get(Space from, const StridedRun& pieces) {
  if (pieces.bytes() == 0) return {};
  const Result<Located> there = locate(from, pieces);
  if (!there) return there.error();
  const Result<Kind*> here = owner_of({pieces.here, pieces.size});
  if (!here) return here.error();
  const Counted counted(traffic_of(from.rank), *here, there->kind, pieces.bytes(),
                        me_ ? Counted::Way::direct : Counted::Way::served);
  return copy({pieces.here, pieces.here_stride}, *here, {there->data, pieces.there_stride},
              there->kind, pieces.size, pieces.count);
}

Result<void> AnyMemory::begin_put(Space to, const StridedRun& piece, DoneOf done_of) {
  const Result<Located> there = locate(to, piece);
  if (!there) return there.error();
  const Result<Kind*> here = owner_of({piece.here, piece.size});
  if (!here) return here.error();
  const Counted counted(traffic_of(to.rank), there->kind, *here, piece.size,
                        me_ ? Counted::Way::direct : Counted::Way::served);
  return begin(there->data, there->kind, piece.here, *here, piece.size, done_of);
}

Result<void> AnyMemory::begin_get(Space from, const StridedRun& piece, DoneOf done_of) {
  const Result<Located> there = locate(from, piece);
  if (!there) return there.error();
  const Result<Kind*> here = owner_of({piece.here, piece.size});
  if (!here) return here.error();
  const Counted counted(traffic_of(from.rank), *here, there->kind, piece.size,
                        me_ ? Counted::Way::direct : Counted::Way::served);
  return begin(piece.here, *here, there->data, there->kind, piece.size, done_of);
}

Result<void> AnyMemory::begin(std::byte* to, Kind* to_kind, const std::byte* from, Kind* from_kind,
                              std::size_t size, DoneOf done_of) {
  Kind* kind = to_kind != nullptr ? to_kind : from_kind;
  if (kind == nullptr || are_strangers(to_kind, from_kind))
    return copy(to, to_kind, from, from_kind, size);
  return kind->copy(to, from, size, done_of(*kind));
}

Result<void> AnyMemory::put(Remote to, Bytes source) {
  return put(to.owner(), {.size = source.size(),
                          .count = 1,
                          .there = to.offset,
                          .here = const_cast<std::byte*>(source.data())});
}

Result<void> AnyMemory::get(MutableBytes target, Remote from) {
  return get(from.owner(),
             {.size = target.size(), .count = 1, .there = from.offset, .here = target.data()});
}

Result<void> AnyMemory::copy(std::byte* to, const std::byte* from, std::size_t size,
                             Passing passing) {
  if (size == 0) return {};
  const Result<Kind*> to_kind = owner_of({to, size});
  if (!to_kind) return to_kind.error();
  const Result<Kind*> from_kind = owner_of({from, size});
  if (!from_kind) return from_kind.error();
  const Counted counted(traffic_of(me_.value_or(Rank(0))), *to_kind, *from_kind, size,
                        passing == Passing::yes ? Counted::Way::passing : Counted::Way::direct);
  return copy(to, *to_kind, from, *from_kind, size);
}

Result<void> AnyMemory::begin_copy(std::byte* to, const std::byte* from, std::size_t size,
                                   Passing passing, DoneOf done_of) {
  Kind* to_kind = kinds_.of({to, size});
  Kind* from_kind = kinds_.of({from, size});
  if (to_kind == nullptr && from_kind == nullptr) return copy(to, from, size, passing);
  const Counted counted(traffic_of(me_.value_or(Rank(0))), to_kind, from_kind, size,
                        passing == Passing::yes ? Counted::Way::passing : Counted::Way::direct);
  return begin(to, to_kind, from, from_kind, size, done_of);
}

Result<void> AnyMemory::copy(std::byte* to, Kind* to_kind, const std::byte* from, Kind* from_kind,
                             std::size_t size) {
  if (are_strangers(to_kind, from_kind)) return copy_by_host(to, *to_kind, from, *from_kind, size);
  Kind* kind = to_kind != nullptr ? to_kind : from_kind;
  if (kind != nullptr) return kind->copy_now(to, from, size);
  copy_to_peer(to, from, size);
  return {};
}

// Copies between two devices that cannot access each other.
Result<void> AnyMemory::copy_by_host(std::byte* to, Kind& to_kind, const std::byte* from,
                                     Kind& from_kind, std::size_t size) {
  constexpr std::size_t most = std::size_t{256} * 1024;
  std::vector<std::byte> host(std::min(size, most));
  for (std::size_t at = 0; at < size; at += most) {
    const std::size_t part = std::min(most, size - at);
    if (const Result<void> out = from_kind.copy_now(host.data(), from + at, part); !out) return out;
    if (const Result<void> in = to_kind.copy_now(to + at, host.data(), part); !in) return in;
  }
  return {};
}

// All pieces are in flight together.
Result<void> AnyMemory::copy(Strided to, Kind* to_kind, ConstStrided from, Kind* from_kind,
                             std::size_t size, std::size_t count) {
  if (is_contiguous(to.stride, size, count) && is_contiguous(from.stride, size, count))
    return copy(to.first, to_kind, from.first, from_kind, size * count);
  Kind* kind = to_kind != nullptr ? to_kind : from_kind;
  if (kind == nullptr) {
    copy_pieces(to, from, size, count);
    return {};
  }
  Result<void> copied{};
  Completion done;
  for (; count > 0 && copied; --count, to.first += to.stride, from.first += from.stride)
    copied = are_strangers(to_kind, from_kind)
                 ? copy_by_host(to.first, *to_kind, from.first, *from_kind, size)
                 : kind->copy(to.first, from.first, size, done);
  const Result<void> completed = kind->complete(done);
  return copied ? completed : copied;
}

Result<bool> AnyMemory::try_update(Remote at, const AtomicRequest& request, std::uint64_t& old) {
  const std::size_t size = width(request.type);
  const Result<Located> word = locate(at, size);
  if (!word) return word.error();
  const AtomicExecutor execute = find_executor(request.op, request.type);
  if (word->kind == nullptr) {
    old = execute(word->data, request);
    return true;
  }
  HeldStripes stripes(memory_.page(at.rank).accumulate_locks, holder());
  if (!stripes.try_move_to(at.offset, size)) return false;
  alignas(8) std::array<std::byte, 8> value{};
  if (const Result<void> out = word->kind->copy_now(value.data(), word->data, size); !out)
    return out.error();
  old = execute(value.data(), request);
  if (request.op == AtomicOp::fetch) return true;
  const Result<void> in = word->kind->copy_now(word->data, value.data(), size);
  return in ? Result<bool>(true) : in.error();
}

Result<bool> AnyMemory::try_add(Remote to, const Accumulation& sum, Bytes terms,
                                std::size_t& added) {
  const Result<Located> target = locate(to, terms.size());
  if (!target) return target.error();
  HeldStripes stripes(memory_.page(to.rank).accumulate_locks, holder());
  std::vector<std::byte> host;
  while (added < terms.size()) {
    const std::size_t size =
        HeldStripes::next_part(to.offset + added, terms.size() - added, width(sum.type()));
    if (!stripes.try_move_to(to.offset + added, size)) return false;
    std::byte* place = target->data + added;
    if (target->kind == nullptr) {
      sum.add(place, terms.data() + added, size);
    } else {
      host.resize(size);
      if (const Result<void> out = target->kind->copy_now(host.data(), place, size); !out)
        return out.error();
      sum.add(host.data(), terms.data() + added, size);
      if (const Result<void> in = target->kind->copy_now(place, host.data(), size); !in)
        return in.error();
    }
    added += size;
  }
  return true;
}

}  // namespace gondwana
