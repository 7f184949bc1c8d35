#include "front/gasnet/hosts.hpp"

#include <map>
#include <string>

#include "bootstrap/process_info.hpp"
#include "core/hash.hpp"

namespace gondwana::gasnet {

std::uint64_t this_machine() {
  const std::string boot = own_node().boot;
  return Hash().add(boot.empty() ? own_host() : boot).value();
}

Hosts Hosts::of(std::span<const std::uint64_t> machines, std::uint32_t me) {
  Hosts hosts;
  std::map<std::uint64_t, std::uint32_t> numbers;
  for (std::uint32_t rank = 0; rank < machines.size(); ++rank) {
    hosts.of_rank.push_back(
        numbers.try_emplace(machines[rank], static_cast<std::uint32_t>(numbers.size()))
            .first->second);
    if (rank == me) hosts.position = static_cast<std::uint32_t>(hosts.mine.size());
    if (machines[rank] == machines[me]) hosts.mine.push_back({rank});
  }
  hosts.count = static_cast<std::uint32_t>(numbers.size());
  return hosts;
}

}  // namespace gondwana::gasnet
