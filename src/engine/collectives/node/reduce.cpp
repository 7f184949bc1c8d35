// Reductions over shared memory.
//
// Small reductions: every member copies its source to its scratch, and every member combines all
// copies. This takes one synchronization. Large reductions are split into parts: member i combines
// the i-th part of all sources and stores it to every dest. This takes two synchronizations and
// combines each element once.
//
// No member waits at the end of a small reduction. The scratch has two halves. A member that reuses
// a half has seen every member enter the collective in between.
//
// Contributions are combined in member order, so every member gets the same bits on every run.
#include <cstring>

#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {
namespace {

// The first array is used as it is. Each later one is combined with the result so far.
class Accumulator {
 public:
  Accumulator(void* out, std::size_t count, ElementType type)
      : out_(out), count_(count), type_(type) {}

  void add(const void* array) {
    if (terms_ == 0)
      first_ = array;
    else
      type_.combine(out_, terms_ == 1 ? first_ : out_, array, count_);
    ++terms_;
  }

  // With a single contribution, the sum is a copy of it.
  void finish() const {
    if (terms_ == 1 && count_ > 0) std::memcpy(out_, first_, count_ * type_.size);
  }

 private:
  void* out_;
  std::size_t count_;
  ElementType type_;
  const void* first_ = nullptr;
  std::uint32_t terms_ = 0;
};

}  // namespace

bool NodeCollectives::reduce(Team& team, CallName call, void* dest, const void* source,
                             std::size_t count, ElementType type) {
  const std::size_t size = times(count, type.size);
  if (size <= small_array)
    combine_first(team, call, team.size, dest, source, count, type);
  else
    reduce_parts(team, call, dest, source, count, type);
  return true;
}

// Waits only for the members that it combines. The caller waits for the others before it reuses
// this half of the scratch.
void NodeCollectives::combine_first(Team& team, CallName call, std::uint32_t members, void* dest,
                                    const void* source, std::size_t count, ElementType type) {
  static_assert(small_array <= ControlLayout::scratch_half);
  with_.lane.counters().add(Count::syncs);
  const std::uint32_t half = team.scratch_uses++ % 2;
  const Epoch ready = ++team.epoch;
  NodeSync line = line_of(team);
  if (count > 0)
    std::memcpy(with_.memory.scratch(team.number, with_.me, half), source, count * type.size);
  line.advance(ready);
  if (line.all_reached(ready)) line.ring_sleepers(ready);
  Accumulator result(dest, count, type);
  for (std::uint32_t member = 0; member < members; ++member) {
    wait_for_member(line, team, member, ready, call);
    result.add(with_.memory.scratch(team.number, team.rank_of(member), half));
  }
  result.finish();
}

void NodeCollectives::reduce_parts(Team& team, CallName call, void* dest, const void* source,
                                   std::size_t count, ElementType type) {
  sync(team, call);  // every source is ready
  Piece piece;
  for_each_piece(part_of(count, team.size, team.me, type.size), type.size, [&](Part part) {
    const std::size_t offset = part.begin * type.size;
    Accumulator result(piece.data(), part.count, type);
    for (std::uint32_t member = 0; member < team.size; ++member)
      result.add(place_of(team.rank_of(member), source) + offset);
    result.finish();
    // All sources have been read, so dest may be source.
    for (std::uint32_t i = 0; i < team.size; ++i) {
      const Rank member = team.rank_of((team.me + i) % team.size);
      std::memcpy(place_of(member, dest) + offset, piece.data(), part.count * type.size);
    }
  });
  sync(team, call);  // every dest is complete
}

}  // namespace gondwana
