#include "engine/rma/bounce/landings.hpp"

#include <cstddef>
#include <span>

namespace gondwana::bounce {

// Pages that are never written use no memory.
void Landings::offer(const NodeMemory& memory, Rank me, SegmentSpace& segments) {
  auto& place = shared_at<BouncePlace>(memory.window(me), system_area::bounces.offset);
  const auto landings = segments.allocate(max_landings * landing_size);
  place.offset = landings ? static_cast<std::uint64_t>(landings->data() - memory.window(me)) : 0;
  place.taken = 0;
}

Landing* Landings::of(Lane& lane, Rank rank) {
  {
    const std::scoped_lock lock(mutex_);
    const auto [known, is_first] = known_.try_emplace(index(rank));
    if (!is_first) return known->second.get();
  }
  std::unique_ptr<Landing> taken = take(lane, rank);
  const std::scoped_lock lock(mutex_);
  return (known_[index(rank)] = std::move(taken)).get();
}

// Other ranks update the number meanwhile, so that only an atomic may read it.
std::unique_ptr<Landing> Landings::take(Lane& lane, Rank rank) {
  const std::size_t at = system_area::bounces.offset;
  std::uint64_t offset = 0;
  if (!remote_.get_uncounted(lane, std::as_writable_bytes(std::span(&offset, 1)),
                             {rank, at + offsetof(BouncePlace, offset)}) ||
      offset == 0)
    return nullptr;
  const std::optional<std::uint64_t> number =
      remote_.request_uncounted(lane, {rank, at + offsetof(BouncePlace, taken)},
                                {AtomicOp::add, AtomicType::uint64, 1}, "transfer");
  if (!number || *number >= max_landings) return nullptr;
  return std::make_unique<Landing>(offset + *number * landing_size);
}

}  // namespace gondwana::bounce
