// Collectives where members have no common memory: the reference implementations, made of puts and
// gets. Slow and simple; what has a window uses the ones beside them.
#include <algorithm>
#include <bit>
#include <vector>

#include "engine/engine.hpp"

namespace gondwana {
namespace {

// Each round of a dissemination barrier has a word in the system part of the arena of each member.
constexpr std::uint32_t rounds_per_team = 32;

std::size_t round_offset(const Team& team, std::uint32_t round) {
  const std::size_t word = std::size_t{team.number} * rounds_per_team + round;
  static_assert(std::size_t{ControlLayout::max_teams} * rounds_per_team * sizeof(Epoch) <=
                NodePlan::system_size);
  return word * sizeof(Epoch);
}

}  // namespace

// Dissemination: in round k tell the member 2^k further on, hear from the one 2^k before. After
// log2(size) rounds everybody has heard, at first or second hand, from everybody.
void Engine::sync_over_wire(Team& team, CallName call) {
  const Epoch epoch = ++team.epoch;
  const auto rounds = static_cast<std::uint32_t>(std::bit_width(team.size - 1));
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint32_t partner = (team.me + (1U << round)) % team.size;
    const std::size_t offset = round_offset(team, round);
    const Remote word{team.rank_of(partner), offset};
    put_over_wire(default_lane_, word, std::as_bytes(std::span(&epoch, 1)));
    drain(default_lane_);
    auto& mine = *reinterpret_cast<Epoch*>(memory_->window(rank_) + offset);
    wait({.call = call, .team = team.number}, [&] {
      const Epoch seen = std::atomic_ref<Epoch>(mine).load(std::memory_order_acquire);
      return static_cast<std::int32_t>(seen - epoch) >= 0;
    });
  }
}

bool Engine::broadcast_over_wire(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t size, std::uint32_t root) {
  sync_over_wire(team, call);
  const bool copied = get_elsewhere(default_lane_, team.rank_of(root), dest, source, size);
  sync_over_wire(team, call);
  return copied;
}

bool Engine::reduce_over_wire(Team& team, CallName call, void* dest, const void* source,
                              std::size_t count, ElementType type) {
  sync_over_wire(team, call);
  std::vector<std::byte> sum(count * type.size);
  std::vector<std::byte> term(count * type.size);
  bool well = get_elsewhere(default_lane_, team.rank_of(0), sum.data(), source, sum.size());
  for (std::uint32_t member = 1; member < team.size && well; ++member) {
    well = get_elsewhere(default_lane_, team.rank_of(member), term.data(), source, term.size());
    type.combine(sum.data(), sum.data(), term.data(), count);
  }
  sync_over_wire(team, call);  // everybody has read every source: dest may be source
  std::ranges::copy(sum, static_cast<std::byte*>(dest));
  return well;
}

}  // namespace gondwana
