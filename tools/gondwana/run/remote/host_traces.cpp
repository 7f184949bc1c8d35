#include "run/remote/host_traces.hpp"

#include <utility>

#include "observe/trace/wire.hpp"

namespace gondwana::launch {

// Uses some pings at the start of the job, then one each second.
bool HostTraces::on_pong(std::uint32_t node, const Pong& pong, std::uint64_t now) {
  constexpr int at_once = 16;
  Host& host = hosts_[node];
  host.clock.add(static_cast<std::int64_t>(pong.sent_ns), static_cast<std::int64_t>(pong.time_ns),
                 static_cast<std::int64_t>(now));
  return ++host.pongs < at_once;
}

Result<void> HostTraces::add(std::uint32_t node, const TracePart& part) {
  Host& host = hosts_[node];
  host.part += part.bytes;
  if (!part.is_last) return {};
  Result<trace::NodeTrace> ranks = trace::decode(std::exchange(host.part, {}));
  if (!ranks) return ranks.error();
  if (!host.trace)
    host.trace = *std::move(ranks);
  else
    for (trace::RankTrace& rank : ranks->ranks) host.trace->ranks.push_back(std::move(rank));
  return {};
}

std::optional<std::string> HostTraces::fault(std::uint32_t node) const {
  const Host& host = hosts_[node];
  if (!host.part.empty()) return "they are incomplete";
  return host.trace ? std::nullopt : std::optional<std::string>("it has sent none");
}

std::vector<trace::NodeTrace> HostTraces::take() {
  std::vector<trace::NodeTrace> nodes;
  for (Host& host : hosts_)
    if (host.trace) trace::add_node(nodes, *std::move(host.trace), host.clock);
  return nodes;
}

}  // namespace gondwana::launch
