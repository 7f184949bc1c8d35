// Which ranks of a job share memory, derived from their infos.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bootstrap/process_info.hpp"
#include "core/result.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

// The nodes of a job, in rank order. `infos`: of all ranks; rank 0's info limits how many may share
// memory. Ranks of one node have consecutive numbers. An error if other ranks lie between ranks
// that could share memory; `in_order` says how to start them better.
Result<std::vector<NodeShare>> find_nodes(std::span<const ProcessInfo> infos,
                                          std::string_view in_order);

// The first rank of the node of `rank` if find_nodes() reports no error, in few steps. `is_near`
// tells whether a lower rank could share memory with it, by their infos. `node_ranks`: the most
// that may share memory; 0: all.
using IsNear = std::function<Result<bool>(std::uint32_t other)>;
Result<std::uint32_t> find_first_of_node(std::uint32_t rank, std::uint32_t node_ranks,
                                         const IsNear& is_near);

}  // namespace gondwana
