#include "bootstrap/node_map.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gondwana {
namespace {

// The number of equal ranks from the first of `infos` on.
std::uint32_t length_of_run(std::span<const ProcessInfo> infos) {
  const auto end = std::ranges::find_if(
      infos, [&](const ProcessInfo& info) { return !(info.node == infos.front().node); });
  return static_cast<std::uint32_t>(end - infos.begin());
}

// Checks that no rank after a run could have been part of it.
Result<void> check_order(std::span<const ProcessInfo> infos, std::uint32_t first, std::uint32_t end,
                         std::string_view in_order) {
  for (std::size_t other = end; other < infos.size(); ++other) {
    if (!(infos[other].node == infos[first].node)) continue;
    return Error{Errc::refused,
                 fmt::format("ranks {} and {} are on host {}, but rank {} between them is on host "
                             "{}; ranks on one host must have consecutive numbers: {}",
                             first, other, infos[first].host, end, infos[end].host, in_order)};
  }
  return {};
}

}  // namespace

Result<std::vector<NodeShare>> find_nodes(std::span<const ProcessInfo> infos,
                                          std::string_view in_order) {
  const auto ranks = static_cast<std::uint32_t>(infos.size());
  const std::uint32_t limit = infos.front().node_ranks;
  std::vector<NodeShare> nodes;
  for (std::uint32_t first = 0; first < ranks;) {
    const std::uint32_t end = first + length_of_run(infos.subspan(first));
    if (const Result<void> in_row = check_order(infos, first, end, in_order); !in_row)
      return in_row.error();
    for (const std::uint32_t most = limit == 0 ? ranks : limit; first < end;) {
      const std::uint32_t members = std::min(most, end - first);
      nodes.push_back({members, first, static_cast<std::uint32_t>(nodes.size()), 0, ranks});
      first += members;
    }
  }
  for (NodeShare& node : nodes) node.nodes = static_cast<std::uint32_t>(nodes.size());
  return nodes;
}

// The near ranks follow each other directly, so bisection finds the first.
Result<std::uint32_t> find_first_of_node(std::uint32_t rank, std::uint32_t node_ranks,
                                         const IsNear& is_near) {
  std::uint32_t first = rank;  // known to be near
  for (std::uint32_t from = 0, step = 0; from < first; step = first - from) {
    // Rank 0 is asked first: usually there is one node.
    const std::uint32_t asked = from + step / 2;
    const Result<bool> near = is_near(asked);
    if (!near) return near.error();
    if (*near)
      first = asked;
    else
      from = asked + 1;
  }
  if (node_ranks == 0) return first;
  return first + (rank - first) / node_ranks * node_ranks;
}

}  // namespace gondwana
