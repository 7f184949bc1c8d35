#include "bootstrap/job_memory.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "core/control_page.hpp"
#include "core/mapping.hpp"

namespace gondwana {

Result<std::uint64_t> random_number() {
  std::uint64_t number = 0;
  while (number == 0) {
    if (::getrandom(&number, sizeof(number), 0) != sizeof(number))
      return Error{Errc::refused, fmt::format("no random numbers: {}", std::strerror(errno))};
  }
  return number;
}

Result<JobMemory> JobMemory::create(const NodeShare& share, std::uint64_t known_tag) {
  const Result<std::uint64_t> tag = known_tag != 0 ? known_tag : random_number();
  if (!tag) return tag.error();
  const Result<NodePlan> plan = plan_node(share);
  if (!plan) return plan.error();
  Result<UniqueFd> control = create_memfd("gondwana-control", ControlLayout(share).size());
  if (!control) return control.error();
  JobMemory memory(*tag, *plan, *std::move(control));
  for (std::uint32_t rank = 0; rank < share.ranks; ++rank) {
    Result<UniqueFd> arena = create_memfd("gondwana-arena", plan->arena_size());
    if (!arena) return arena.error();
    memory.arenas_.push_back(*std::move(arena));
  }
  return memory;
}

JobMemory::Parcel JobMemory::parcel(std::uint32_t to_rank, std::uint32_t number) const {
  if (number == 0)
    return {protocol::Welcome{tag_, to_rank, plan_.ranks, plan_.stride, plan_.first, plan_.node,
                              plan_.nodes, plan_.job_ranks},
            control_.get()};
  return {protocol::Arena{number - 1}, arenas_[number - 1].get()};
}

}  // namespace gondwana
