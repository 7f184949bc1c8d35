// Strided puts and gets over the wire: a message packs as many pieces as fit.
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/rma/remote_access.hpp"

namespace gondwana {
namespace {

// Divides pieces, in order, into the loads of messages. A block that exceeds one message is split.
class Loads {
 public:
  Loads(std::span<const StridedRun> all, std::size_t room) : left_(all), room_(room) {}

  // Returns the next load, or an empty one at the end.
  std::span<const StridedRun> next() {
    load_.clear();
    for (std::size_t room = room_; !left_.empty() && load_.size() < max_runs;) {
      const StridedRun part = rest_of_first(room);
      if (part.count == 0 || part.size == 0) break;
      load_.push_back(part);
      room -= part.bytes();
      take(part);
    }
    return load_;
  }

 private:
  // The rest of the first run that fits: some of its blocks, or a part of one.
  StridedRun rest_of_first(std::size_t room) const {
    StridedRun part = left_.front();
    const auto before = static_cast<std::ptrdiff_t>(done_);
    part.there += static_cast<std::uint64_t>(before * part.there_stride) + taken_;
    part.here += before * part.here_stride + static_cast<std::ptrdiff_t>(taken_);
    if (part.size <= room_) {
      part.count = std::min(part.count - done_, room / part.size);
    } else {
      part.size = std::min(part.size - taken_, room);
      part.count = 1;
    }
    return part;
  }

  void take(const StridedRun& part) {
    const StridedRun& first = left_.front();
    taken_ += part.size;
    if (part.size == first.size || taken_ == first.size) {
      taken_ = 0;
      done_ += part.count;
    }
    if (done_ < first.count) return;
    left_ = left_.subspan(1);
    done_ = 0;
  }

  std::span<const StridedRun> left_;
  std::size_t room_;
  std::size_t done_ = 0;   // completed blocks of the first run in left_
  std::size_t taken_ = 0;  // completed bytes of the next block
  std::vector<StridedRun> load_;
};

// Calls move(address there, bytes here) for each block until one is not accepted.
template <typename Move>
RemoteAccess::Begun one_by_one(Space peer, const StridedRun& pieces, const Move& move) {
  RemoteAccess::Begun moved = RemoteAccess::Begun::pending;
  for (std::size_t i = 0; i < pieces.count && moved == RemoteAccess::Begun::pending; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const auto there = pieces.there + static_cast<std::uint64_t>(at * pieces.there_stride);
    moved = move(Remote{peer, there}, {pieces.here + at * pieces.here_stride, pieces.size});
  }
  return moved;
}

// For the parts of one operation: after the first is accepted, the others wait for queue space.
class FirstOnly {
 public:
  explicit FirstOnly(RemoteAccess::NoRoom no_room) : no_room_(no_room) {}
  RemoteAccess::NoRoom next() { return std::exchange(no_room_, RemoteAccess::NoRoom::wait); }

 private:
  RemoteAccess::NoRoom no_room_;
};

}  // namespace

// Returns the runs that can be packed. The others are sent one by one.
std::vector<StridedRun> RemoteAccess::packed_of(std::span<const StridedRun> pieces) const {
  std::vector<StridedRun> packed;
  std::ranges::copy_if(pieces, std::back_inserter(packed),
                       [this](const StridedRun& each) { return packs(each.size); });
  return packed;
}

RemoteAccess::Begun RemoteAccess::begin_put(Lane& lane, Space to,
                                            std::span<const StridedRun> pieces, Completion& done,
                                            NoRoom no_room) {
  FirstOnly first(no_room);
  const auto put = [&](Remote there, MutableBytes here) {
    return begin_put(lane, there, here, done, first.next());
  };
  Begun begun = Begun::pending;
  for (const StridedRun& each : pieces)
    if (!packs(each.size) && begun == Begun::pending) begun = one_by_one(to, each, put);
  const std::vector<StridedRun> packed = packed_of(pieces);
  Loads loads(packed, wire_.limits().packs_up_to);
  for (auto load = loads.next(); !load.empty() && begun == Begun::pending; load = loads.next())
    begun = post("put", lane, first.next(), [&] { return wire_->put_packed(to, load, done); });
  if (begun == Begun::pending && !packed.empty()) lane.counters().add_put(bytes_of(packed));
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_get(Lane& lane, Space from,
                                            std::span<const StridedRun> pieces, Completion& done,
                                            NoRoom no_room) {
  FirstOnly first(no_room);
  const auto get = [&](Remote there, MutableBytes here) {
    return begin_get(lane, here, there, done, first.next());
  };
  Begun begun = Begun::pending;
  for (const StridedRun& each : pieces)
    if (!packs(each.size) && begun == Begun::pending) begun = one_by_one(from, each, get);
  const std::vector<StridedRun> packed = packed_of(pieces);
  Loads loads(packed, wire_.limits().packs_up_to);
  for (auto load = loads.next(); !load.empty() && begun == Begun::pending; load = loads.next())
    begun = post("get", lane, first.next(), [&] { return wire_->get_packed(from, load, done); });
  if (begun == Begun::pending && !packed.empty()) lane.counters().add_get(bytes_of(packed));
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_accumulate(Lane& lane, Space to, const Accumulation& what,
                                                   std::span<const StridedRun> pieces,
                                                   Completion& done) {
  const std::size_t element = width(what.type());
  const std::size_t most = wire_.limits().accumulates_up_to / element * element;
  Loads loads(pieces, most);
  Begun begun = Begun::pending;
  for (auto load = loads.next(); !load.empty() && begun == Begun::pending; load = loads.next())
    begun = post("accumulate", lane, NoRoom::wait,
                 [&] { return wire_->accumulate(to, what, load, done); });
  if (begun == Begun::pending) lane.counters().add_put(bytes_of(pieces));
  return begun;
}

// The sources may be reused on return, so all pieces must be small enough to be packed.
bool RemoteAccess::put_packed(Lane& lane, Space to, const StridedRun& pieces) {
  return begin_put(lane, to, std::span(&pieces, 1), lane.posted().pending()) == Begun::pending;
}

bool RemoteAccess::get_packed(Lane& lane, Space from, const StridedRun& pieces) {
  order(lane);
  Completion done;
  const Begun posted = begin_get(lane, from, std::span(&pieces, 1), done);
  return complete(lane, done, "get") && posted == Begun::pending;
}

}  // namespace gondwana
