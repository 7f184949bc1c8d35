#include "process/open_wire.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bootstrap/deadline.hpp"
#include "remote/protocol.hpp"
#include "remote/route_choice.hpp"

namespace gondwana {
namespace {

std::vector<std::uint32_t> unknown_nodes(const NodeMemory& memory) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < memory.roster().nodes(); ++node)
    if (memory.entry(node).state.load(std::memory_order_acquire) == NodeState::unknown)
      nodes.push_back(node);
  return nodes;
}

// Our own launcher sees all nodes, and ends the job if one of them does not join.
Result<void> wait_for_all_nodes(const NodeMemory& memory, const Options& options, bool is_foreign) {
  constexpr std::chrono::microseconds step{200};
  const Deadline deadline(options.join_timeout);
  while (!unknown_nodes(memory).empty()) {
    if (is_foreign && deadline.left_ms() == 0) {
      return Error{
          Errc::peer_lost,
          fmt::format("these of {} nodes did not join within {} s (GONDWANA_JOIN_TIMEOUT): "
                      "{}",
                      memory.roster().nodes(), deadline.seconds(),
                      fmt::join(unknown_nodes(memory), ", "))};
    }
    std::this_thread::sleep_for(step);
  }
  return {};
}

// Every node must use the same memory layout and the same route for messages.
Result<void> compare_nodes(const NodeMemory& memory, bool through_agents) {
  const std::string own_network = memory.entry(memory.plan().node).info.network.data();
  const auto refuse = [](std::string why) { return Error{Errc::refused, std::move(why)}; };
  for (std::uint32_t node = 0; node < memory.roster().nodes(); ++node) {
    const NodeInfo& info = memory.entry(node).info;
    const char* host = info.host.data();
    if (info.layout != remote::protocol_fingerprint())
      return refuse(fmt::format(
          "host {} has a different build of Gondwana; use the same on every host", host));
    if ((info.carries != 0) != through_agents)
      return refuse(
          fmt::format("GONDWANA_ROUTE is not the same on host {} as on this one; set it "
                      "on every host (mpirun: -x GONDWANA_ROUTE)",
                      host));
    if (own_network != info.network.data())
      return refuse(fmt::format(
          "host {} uses {}, this one {}; set GONDWANA_NETWORK_LIBRARY, GONDWANA_PROVIDER and the "
          "variables of the library (FI_..., UCX_...) to the same values on every host",
          host, info.network.data(), own_network));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<RemoteClient>> open_wire(const Membership& self,
                                                const std::shared_ptr<NodeMemory>& memory,
                                                const Options& options) {
  if (memory->roster().nodes() == 1) return std::shared_ptr<RemoteClient>();
  const bool through_agents =
      remote::goes_through_agents(options.route, memory->roster().capacity());
  const Result<network::Settings> settings = network::settings_of(options);
  if (!settings) return settings.error();
  // Libraries take long to start. Meanwhile the nodes exchange their addresses.
  Result<std::unique_ptr<RemoteClient>> client =
      RemoteClient::open({.memory = memory,
                          .me = self.rank,
                          .incarnation = memory->death(self.rank).started.load(),
                          .job_tag = self.job_tag,
                          .settings = *settings,
                          .eager_limit = options.eager_limit,
                          .batch_limit = options.batch_limit,
                          .through_agent = through_agents,
                          .agent = self.lifeline.get()});
  if (!client) return client.error();
  const bool is_foreign = self.launcher.is_foreign();
  if (const auto known = wait_for_all_nodes(*memory, options, is_foreign); !known)
    return known.error();
  if (const Result<void> same = compare_nodes(*memory, through_agents); !same) return same.error();
  return std::shared_ptr<RemoteClient>(*std::move(client));
}

}  // namespace gondwana
