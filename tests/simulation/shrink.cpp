#include "simulation/shrink.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "simulation/crash.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {
namespace {

bool fails(const Plan& plan) {
  name_seed(plan.seed);
  return !World(plan, false).run().wrong.empty();
}

Plan without_host(const Plan& plan, std::uint32_t host) {
  Plan smaller = plan;
  smaller.hosts.erase(smaller.hosts.begin() + host);
  std::erase_if(smaller.faults, [host](const Fault& fault) { return fault.host == host; });
  for (Fault& fault : smaller.faults) fault.host -= fault.host > host ? 1 : 0;
  return smaller;
}

Plan without_rank(const Plan& plan, std::uint32_t host, std::uint32_t rank) {
  Plan smaller = plan;
  auto& ranks = smaller.hosts[host].ranks;
  ranks.erase(ranks.begin() + rank);
  std::erase_if(smaller.faults,
                [&](const Fault& fault) { return fault.host == host && fault.rank == rank; });
  for (Fault& fault : smaller.faults) fault.rank -= fault.host == host && fault.rank > rank ? 1 : 0;
  return smaller;
}

// All that is one step smaller, the largest steps first.
std::vector<Plan> smaller_plans(const Plan& plan) {
  std::vector<Plan> smaller;
  const auto with = [&](auto change) {
    Plan& one = smaller.emplace_back(plan);
    change(one);
  };
  for (std::uint32_t host = 0; plan.hosts.size() > 1 && host < plan.hosts.size(); ++host)
    smaller.push_back(without_host(plan, host));
  for (std::size_t fault = 0; fault < plan.faults.size(); ++fault)
    with([&](Plan& one) { one.faults.erase(one.faults.begin() + static_cast<long>(fault)); });
  for (std::uint32_t host = 0; host < plan.hosts.size(); ++host) {
    const auto ranks = static_cast<std::uint32_t>(plan.hosts[host].ranks.size());
    for (std::uint32_t rank = 0; ranks > 1 && rank < ranks; ++rank)
      smaller.push_back(without_rank(plan, host, rank));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (plan.hosts[host].ranks[rank].run != 100 * ms)
        with([&](Plan& one) { one.hosts[host].ranks[rank] = {.run = 100 * ms}; });
      const RankPlan& old = plan.hosts[host].ranks[rank];
      if (old.orphan != 0) with([&](Plan& one) { one.hosts[host].ranks[rank].orphan = 0; });
      if (old.tries) with([&](Plan& one) { one.hosts[host].ranks[rank].tries = false; });
      if (old.has_shell && !old.tries)
        with([&](Plan& one) { one.hosts[host].ranks[rank].has_shell = false; });
      if (old.unkillable != 0) with([&](Plan& one) { one.hosts[host].ranks[rank].unkillable = 0; });
    }
    if (plan.hosts[host].stop_at_kill != 0)
      with([&](Plan& one) { one.hosts[host].stop_at_kill = 0; });
    if (plan.hosts[host].delay != ms) with([&](Plan& one) { one.hosts[host].delay = ms; });
    if (plan.hosts[host].start != Start::runs)
      with([&](Plan& one) { one.hosts[host].start = Start::runs; });
  }
  if (plan.timeout) with([](Plan& one) { one.timeout.reset(); });
  if (plan.latency != ms) with([](Plan& one) { one.latency = ms; });
  return smaller;
}

}  // namespace

Plan shrink(Plan plan) {
  for (bool has_shrunk = true; has_shrunk;) {
    has_shrunk = false;
    for (Plan& smaller : smaller_plans(plan)) {
      if (!fails(smaller)) continue;
      plan = std::move(smaller);
      has_shrunk = true;
      break;
    }
  }
  return plan;
}

}  // namespace gondwana::simulation
