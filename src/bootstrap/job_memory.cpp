#include "bootstrap/job_memory.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "core/fingerprint.hpp"
#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/options.hpp"
#include "memory/layout.hpp"
#include "memory/relay_place.hpp"
#include "memory/renewal.hpp"

namespace gondwana {

Result<std::uint64_t> random_number() {
  std::uint64_t number = 0;
  while (number == 0) {
    if (::getrandom(&number, sizeof(number), 0) != sizeof(number))
      return Error{Errc::refused,
                   fmt::format("cannot get random numbers: {}", std::strerror(errno))};
  }
  return number;
}

std::uint32_t job_number(std::uint64_t tag) {
  return static_cast<std::uint32_t>(fingerprint({tag, tag >> 32}));
}

namespace {

// The bytes of each arena that its rank wants on huge pages, for its heap. The ranks report an
// unreadable value.
std::size_t wanted_huge_pages(const Environment& environment, std::uint32_t ranks) {
  if (setting_of(variable(VariableId::gondwana_hugetlb), environment).is_default()) return 0;
  const Result<Options> options = read_options(environment);
  if (!options || !options->hugetlb) return 0;
  return options->heap_size > 0 ? options->heap_size : usable_memory() / ranks / 2;
}

// The bytes of events that each thread keeps. The ranks report an unreadable value.
std::size_t wanted_ring_size(const Environment& environment) {
  if (setting_of(variable(VariableId::gondwana_trace), environment).is_default()) return 0;
  const Result<Options> options = read_options(environment);
  if (!options || !options->trace) return 0;
  return std::bit_ceil(std::clamp(options->trace_size, min_ring_size, largest_ring_size));
}

// The start of a heap on huge pages.
std::size_t room_for_huge_pages(const NodePlan& plan) {
  return plan.inbox_offset() > huge_offset ? plan.inbox_offset() - huge_offset : 0;
}

constexpr std::size_t whole_huge_pages(std::size_t bytes) {
  return bytes / huge_page * huge_page;
}

// Tools find the node by these facts.
Result<void> write_facts(const UniqueFd& control, const NodePlan& plan, std::uint64_t tag) {
  const Result<Mapping> start = Mapping::shared(control, ControlLayout::header_size);
  if (!start) return start.error();
  shared_at<NodeHeader>(start->data(), 0).facts = {
      .layout = memory_fingerprint,
      .began_s = static_cast<std::uint64_t>(::time(nullptr)),
      .job = job_number(tag),
      .ranks = plan.node_ranks(),
      .node = plan.node,
      .nodes = plan.nodes,
      .job_ranks = plan.job_ranks,
      .slots = plan.slots(),
      .node_slots = plan.node_slots(),
      .ring_size = plan.ring_size,
      .teams = plan.teams};
  return {};
}

}  // namespace

// Each rank gets the same number. If another process takes pages between the query and the
// allocation, the loop asks again.
void JobMemory::take_huge_pages(const Environment& environment) {
  const std::size_t wanted =
      std::min(round_up(wanted_huge_pages(environment, plan_.slots()), huge_page),
               whole_huge_pages(room_for_huge_pages(plan_)));
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts && wanted > 0; ++attempt) {
    const std::size_t each =
        std::min(wanted, whole_huge_pages(available_huge_pages() / plan_.slots()));
    if (each == 0) return;
    Result<UniqueFd> huge = create_huge_memfd("gondwana-huge", each * plan_.slots());
    if (!huge) continue;
    plan_.huge = each;
    arenas_.push_back(*std::move(huge));
    return;
  }
}

Result<JobMemory> JobMemory::create(const NodeShare& share, std::uint64_t known_tag,
                                    const Environment& environment) {
  const Result<std::uint64_t> tag = known_tag != 0 ? known_tag : random_number();
  if (!tag) return tag.error();
  Result<NodePlan> plan = plan_node(share);
  if (!plan) return plan.error();
  plan->ring_size = wanted_ring_size(environment);
  Result<UniqueFd> control = create_memfd(control_label, ControlLayout(*plan).size());
  if (!control) return control.error();
  if (const Result<void> done = write_facts(*control, *plan, *tag); !done) return done.error();
  JobMemory memory(*tag, *plan, *std::move(control));
  for (std::uint32_t file = 0; file < plan->arena_files(); ++file) {
    Result<UniqueFd> arenas = create_arena_file(*plan, file);
    if (!arenas) return arenas.error();
    memory.arenas_.push_back(*std::move(arenas));
  }
  memory.take_huge_pages(environment);
  if (share.nodes > 1) {
    Result<UniqueFd> bell = create_agent_bell();
    if (!bell) return bell.error();
    memory.arenas_.push_back(*std::move(bell));
  }
  return memory;
}

Result<void> JobMemory::renew(std::uint32_t slot, Replacement replacement) const {
  bool done = true;
  const UniqueFd& file = arenas_[plan_.file_of(slot)];
  for (const auto [begin, end] : ranges_to_empty(plan_, replacement))
    done = done && empty_pages(file, plan_.place_in_file(slot) + begin, end - begin);
  if (plan_.huge > 0 && replacement != Replacement::kept)
    done = done && empty_pages(arenas_[plan_.arena_files()], slot * plan_.huge, plan_.huge);
  if (done) return {};
  return Error{Errc::refused, fmt::format("cannot empty the memory of the former process: {}",
                                          std::strerror(errno))};
}

JobMemory::Item JobMemory::item(std::uint32_t to_rank, std::uint32_t number,
                                const Session& session) const {
  if (number == 0)
    return {
        protocol::Welcome{tag_, to_rank, plan_.ranks, plan_.stride, plan_.first, plan_.node,
                          plan_.nodes, plan_.job_ranks, plan_.huge, plan_.ring_size, plan_.teams,
                          plan_.max_ranks, session, plan_.job_max_ranks, plan_.spare_nodes},
        control_.get()};
  return {protocol::Arena{number - 1}, arenas_[number - 1].get()};
}

}  // namespace gondwana
