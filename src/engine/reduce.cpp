// Reductions over common memory.
//
// Small ones: everybody lays a copy of its source in its scratch, and everybody combines all
// copies: one synchronisation. Large ones: member i combines the i-th part of all sources, straight
// from where they lie, into its scratch; then everybody collects the parts: two synchronisations,
// and each byte is combined once. Nobody waits at the end: the scratch has two halves, and a member
// that comes to use a half again has seen everybody enter the reduction in between.
//
// All orders are by member, so every member gets the same bits, run after run.
#include <algorithm>
#include <cstring>

#include "engine/engine.hpp"

namespace gondwana {
namespace {

constexpr std::size_t small_bytes = 2048;

// Part `member` of `count` elements, in whole cache lines as far as that goes.
struct Part {
  std::size_t begin;
  std::size_t count;
};

Part part_of(std::size_t count, std::uint32_t members, std::uint32_t member, std::size_t width) {
  const std::size_t line = std::max<std::size_t>(1, cache_line / width);
  const std::size_t each = round_up((count + members - 1) / members, line);
  const std::size_t begin = std::min(count, member * each);
  return {begin, std::min(each, count - begin)};
}

// The first of `members` arrays is taken as it is, each later one is combined with what is there.
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

  // A sum of one term is that term.
  void finish() const {
    if (terms_ == 1 && count_ > 0) std::memmove(out_, first_, count_ * type_.size);
  }

 private:
  void* out_;
  std::size_t count_;
  ElementType type_;
  const void* first_ = nullptr;
  std::uint32_t terms_ = 0;
};

}  // namespace

bool Engine::reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                    ElementType type) {
  if (!in_reach(team)) return reduce_over_wire(team, call, dest, source, count, type);
  default_lane_.counters().add(Count::syncs);
  if (count * type.size <= small_bytes) {
    reduce_small(team, call, dest, source, count, type);
    return true;
  }
  const Result<Remote> place = locate("reduction", rank_, source, count * type.size);
  if (!place) return default_lane_.fail(place.error());
  const std::size_t lines = ControlLayout::scratch_half / cache_line;
  const std::size_t most = team.size * lines * std::max<std::size_t>(1, cache_line / type.size);
  for (std::size_t done = 0; done < count; done += most) {
    reduce_piece(team, call, static_cast<std::byte*>(dest) + done * type.size,
                 place->offset + done * type.size, std::min(most, count - done), type);
  }
  return true;
}

void Engine::wait_for_member(const NodeSync& line, const Team& team, std::uint32_t member,
                             Epoch epoch, CallName call) {
  if (line.reached(member, epoch)) return;
  wait({.call = call, .peer = index(team.rank_of(member)), .team = team.number},
       [&] { return line.reached(member, epoch); });
}

void Engine::reduce_small(Team& team, CallName call, void* dest, const void* source,
                          std::size_t count, ElementType type) {
  const std::uint32_t half = team.reductions++ % 2;
  const Epoch ready = ++team.epoch;
  NodeSync line(NodeTeam(*memory_, team), team.me);
  std::memcpy(memory_->scratch(team.number, team.me, half), source, count * type.size);
  line.advance(ready);
  if (line.all_reached(ready)) line.ring_sleepers();
  Accumulator result(dest, count, type);
  for (std::uint32_t member = 0; member < team.size; ++member) {
    wait_for_member(line, team, member, ready, call);
    result.add(memory_->scratch(team.number, member, half));
  }
  result.finish();
  line.ring_sleepers();
}

void Engine::reduce_piece(Team& team, CallName call, std::byte* dest, std::size_t source_offset,
                          std::size_t count, ElementType type) {
  const std::uint32_t half = team.reductions++ % 2;
  const Epoch ready = team.epoch + 1;
  const Epoch combined = team.epoch += 2;
  NodeSync line(NodeTeam(*memory_, team), team.me);
  line.advance(ready);
  if (line.all_reached(ready)) line.ring_sleepers();
  const Part mine = part_of(count, team.size, team.me, type.size);
  Accumulator result(memory_->scratch(team.number, team.me, half), mine.count, type);
  for (std::uint32_t member = 0; member < team.size; ++member) {
    wait_for_member(line, team, member, ready, call);
    const std::byte* source = reach_.window(team.rank_of(member)) + source_offset;
    result.add(source + mine.begin * type.size);
  }
  result.finish();
  line.advance(combined);
  if (line.all_reached(combined)) line.ring_sleepers();
  for (std::uint32_t i = 0; i < team.size; ++i) {
    const std::uint32_t member = (team.me + i) % team.size;  // not all from the same one at once
    const Part part = part_of(count, team.size, member, type.size);
    wait_for_member(line, team, member, combined, call);
    if (part.count > 0)
      std::memcpy(dest + part.begin * type.size, memory_->scratch(team.number, member, half),
                  part.count * type.size);
  }
  line.ring_sleepers();
}

}  // namespace gondwana
