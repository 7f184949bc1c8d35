#include "front/gasnet/collectives_team.hpp"

#include <algorithm>

#include "front/gasnet/barrier.hpp"
#include "front/gasnet/context.hpp"

namespace gondwana::gasnet {

TeamCollectives::TeamCollectives(Team& team)
    : team_(team), split_barrier_(std::make_unique<SplitBarrier>()) {}

TeamCollectives::~TeamCollectives() = default;

void check_collective(const Team& team, CallName call) {
  if (team.door->checks() && context().handler != nullptr)
    give_up(call, "a handler may not start a collective");
  if (team.is_pair) give_up(call, "a team that gex_TM_Pair made is for point-to-point calls only");
}

TeamCollectives& TeamCollectives::of(Team& team, CallName call) {
  check_collective(team, call);
  if (team.collectives != nullptr) [[likely]]
    return *static_cast<TeamCollectives*>(team.collectives.get());
  team.collectives = std::make_shared<TeamCollectives>(team);
  return *static_cast<TeamCollectives*>(team.collectives.get());
}

Turn TeamCollectives::look_at_finished() {
  Turn least = ~Turn{0};
  for (std::uint32_t member = 0; member < size(); ++member)  // pairs with finish()
    least = std::min(least, control(member).finished.load(std::memory_order_acquire));
  all_finished_.store(least, std::memory_order_release);  // pairs with may_begin()
  return least;
}

void TeamCollectives::finish(Turn turn) {
  // Who waits for a slot finds out by itself within a millisecond; this is so that it does not
  // come to that.
  constexpr Turn tell_each = CollectiveLayout::depth / 4;
  Turn before = 0;
  Turn after = 0;
  {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (door().threads() != ThreadMode::seq) lock.lock();
    before = finished_;
    finished_later_ |= std::uint64_t{1} << (turn - finished_ - 1);
    for (; (finished_later_ & 1) != 0; finished_later_ >>= 1) ++finished_;
    after = finished_;
    if (after != before)  // pairs with look_at_finished()
      control(rank()).finished.store(after, std::memory_order_release);
  }
  if (before / tell_each == after / tell_each) return;
  tell_far({}, {}, &control(rank()).finished);
  wake_others();
}

std::uint64_t TeamCollectives::offset_of(const void* address, std::size_t size) const {
  if (!team_.far.empty()) return nowhere;  // not everybody could look there
  const auto* place = static_cast<const std::byte*>(address);
  const auto within = [&](const std::byte* begin, std::size_t length) {
    const auto at = static_cast<std::size_t>(place - begin);
    return at <= length && size <= length - at ? at : nowhere;
  };
  Engine& engine = team_.door->engine();
  const std::uint64_t own = within(memory().window(engine.rank()), memory().plan().inbox_offset());
  if (own != nowhere) return own;
  const std::size_t symmetric = engine.symmetric().ranges().offset_of(address, size);
  if (symmetric != SymmetricRanges::nowhere) return symmetric;
  const gex_Segment_t segment = team_.endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID || segment->offset == gondwana_gex_segment::unreachable)
    return nowhere;
  const std::uint64_t bound = within(segment->address, segment->size);
  return bound == nowhere ? nowhere : segment->offset + bound;
}

}  // namespace gondwana::gasnet
