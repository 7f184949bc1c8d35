#include "front/armci/kind_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "front/armci/far_move.hpp"
#include "front/armci/near_move.hpp"

namespace gondwana::armci {

void KindMove::move(const StridedRun& run) const {
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

void KindMove::copy(const StridedRun& run) const {
  for (std::size_t i = 0; i < run.count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    auto* there = reinterpret_cast<std::byte*>(run.there) + at * run.there_stride;
    std::byte* here = run.here + at * run.here_stride;
    is_put(call_) ? call_.door.memory().copy(call_.name, there, here, run.size)
                  : call_.door.memory().copy(call_.name, here, there, run.size);
  }
}

void KindMove::add(const StridedRun& run, const Place& place, std::ptrdiff_t from_lowest) const {
  if (call_.door.memory().may_be_on_device(place.here))
    give_up(call_.name, fmt::format("{}: device memory, which accumulates do not support",
                                    fmt::ptr(place.here)));
  std::vector<std::byte> terms(run.bytes());
  StridedRun packed = run;
  packed.here = terms.data();
  packed.here_stride = static_cast<std::ptrdiff_t>(run.size);
  for (std::size_t i = 0; i < run.count; ++i)
    call_.door.memory().copy(call_.name, terms.data() + i * run.size,
                             run.here + static_cast<std::ptrdiff_t>(i) * run.here_stride, run.size);
  if (place.here == nullptr) {
    packed.there = place.elsewhere.offset + static_cast<std::uint64_t>(from_lowest);
    return accumulate_far(call_, place.elsewhere.rank, std::span(&packed, 1));
  }
  packed.there = reinterpret_cast<std::uintptr_t>(place.here + from_lowest);
  NearMove near(call_);
  near.move(packed);
  near.finish();
}

KindMove begin_by_kind(const Call& call) {
  if (!call.door.engine().rma().reaches_all()) call.door.order(call.name);
  return KindMove(call);
}

}  // namespace gondwana::armci
