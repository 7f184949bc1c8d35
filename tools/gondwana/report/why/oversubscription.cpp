#include "report/why/oversubscription.hpp"

#include <cstdint>
#include <map>

#include "report/why/sentences.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::why {
namespace {

struct Host {
  std::uint32_t processors = 0;
  std::uint32_t ranks = 0;
  double idle = 1;
  double used = 0;
  double wanted = 0;
};

// By name. Nodes of one host share its processors.
std::map<std::string, Host> hosts_of(const jobs::JobSeen& job) {
  std::map<std::string, Host> hosts;
  std::map<std::uint32_t, std::string> host_of;
  for (const jobs::NodeSeen& node : job.found) {
    hosts[node.host].processors = node.processors;
    hosts[node.host].idle = node.idle;
    host_of[node.node] = node.host;
  }
  for (const jobs::RankSeen& rank : job.seen) {
    if (!is_alive(rank)) continue;
    Host& host = hosts[host_of[rank.node]];
    ++host.ranks;
    host.used += rank.computed;
    host.wanted += rank.computed + rank.delayed;
  }
  return hosts;
}

bool has_too_few_processors(const Host& host) {
  constexpr double min_excess = 1.25;
  return host.processors != 0 && host.ranks > host.processors &&
         host.wanted >= min_excess * host.processors;
}

// Whether other processes use the processors: little is left for the ranks.
bool is_shared(const Host& host) {
  constexpr double busy_share = 0.25;
  return host.used < busy_share * host.processors;
}

}  // namespace

std::vector<std::string> find_oversubscribed(const jobs::JobSeen& job) {
  constexpr double idle_share = 0.2;
  std::vector<std::string> messages;
  for (const auto& [name, host] : hosts_of(job)) {
    if (!has_too_few_processors(host)) continue;
    // Ranks that a barrier wakes together need processors only for a moment.
    if (is_shared(host) && host.idle > idle_share) continue;
    messages.push_back(sentences::oversubscribed(host.processors, host.ranks, host.processors, name,
                                                 100 * host.used / host.ranks,
                                                 is_shared(host) ? sentences::others_run : ""));
  }
  return messages;
}

}  // namespace gondwana::why
