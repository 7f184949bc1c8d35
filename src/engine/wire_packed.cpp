// Puts and gets in pieces where loads and stores do not reach: packed, as many in a message as fit.
#include <algorithm>
#include <vector>

#include "engine/engine.hpp"

namespace gondwana {
namespace {

// Goes through pieces in their order and cuts them into the loads of messages.
class Loads {
 public:
  Loads(std::span<const Pieces> all, std::size_t room) : left_(all), room_(room) {}

  // The next one; empty at the end.
  std::span<const Pieces> next() {
    load_.clear();
    for (std::size_t room = room_; !left_.empty() && load_.size() < most_pieces;) {
      const Pieces part = rest_of_first(room / left_.front().size);
      if (part.count == 0) break;
      load_.push_back(part);
      room -= part.bytes();
      done_ += part.count;
      if (done_ < left_.front().count) continue;
      left_ = left_.subspan(1);
      done_ = 0;
    }
    return load_;
  }

 private:
  Pieces rest_of_first(std::size_t most) const {
    Pieces part = left_.front();
    const auto before = static_cast<std::ptrdiff_t>(done_);
    part.count = std::min(part.count - done_, most);
    part.there += static_cast<std::uint64_t>(before * part.there_step);
    part.here += before * part.here_step;
    return part;
  }

  std::span<const Pieces> left_;
  std::size_t room_;
  std::size_t done_ = 0;  // of the first that is left
  std::vector<Pieces> load_;
};

// Calls move(place there, bytes here) for each, until one fails.
template <typename Move>
bool one_by_one(Rank peer, const Pieces& pieces, const Move& move) {
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const auto there = pieces.there + static_cast<std::uint64_t>(at * pieces.there_step);
    const MutableBytes here(pieces.here + at * pieces.here_step, pieces.size);
    if (!move(Remote{peer, there}, here)) return false;
  }
  return true;
}

}  // namespace

// The others go alone.
std::vector<Pieces> Engine::packed_of(std::span<const Pieces> pieces) const {
  std::vector<Pieces> packed;
  std::ranges::copy_if(pieces, std::back_inserter(packed),
                       [this](const Pieces& each) { return packs(each.size); });
  return packed;
}

bool Engine::begin_put(Lane& lane, Rank to, std::span<const Pieces> pieces, Completion& done) {
  const std::vector<Pieces> packed = packed_of(pieces);
  for (const Pieces& each : pieces) {
    const auto put = [&](Remote there, Bytes here) { return begin_put(lane, there, here, done); };
    if (!packs(each.size) && !one_by_one(to, each, put)) return false;
  }
  if (packed.empty()) return true;
  lane.counters().add_put(bytes_of(packed));
  const std::scoped_lock turn(wire_mutex_);
  Loads loads(packed, wire_.limits().packs_up_to);
  for (auto load = loads.next(); !load.empty(); load = loads.next())
    if (!post(lane, [&] { return wire_.spread(to, load, done); })) return false;
  return true;
}

bool Engine::begin_get(Lane& lane, Rank from, std::span<const Pieces> pieces, Completion& done) {
  const std::vector<Pieces> packed = packed_of(pieces);
  for (const Pieces& each : pieces) {
    const auto get = [&](Remote there, MutableBytes here) {
      return begin_get(lane, here, there, done);
    };
    if (!packs(each.size) && !one_by_one(from, each, get)) return false;
  }
  if (packed.empty()) return true;
  lane.counters().add_get(bytes_of(packed));
  const std::scoped_lock turn(wire_mutex_);
  Loads loads(packed, wire_.limits().packs_up_to);
  for (auto load = loads.next(); !load.empty(); load = loads.next())
    if (!post(lane, [&] { return wire_.gather(from, load, done); })) return false;
  return true;
}

// The sources are free when it returns: only for pieces that are packed.
bool Engine::put_packed(Lane& lane, Rank to, const Pieces& pieces) {
  return begin_put(lane, to, std::span(&pieces, 1), lane.pending());
}

bool Engine::get_packed(Lane& lane, Rank from, const Pieces& pieces) {
  const std::scoped_lock turn(wire_mutex_);
  order(lane);
  Completion done;
  const bool posted = begin_get(lane, from, std::span(&pieces, 1), done);
  complete(done, "get");
  return posted;
}

}  // namespace gondwana
