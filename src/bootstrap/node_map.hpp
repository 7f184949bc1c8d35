// Which ranks of a job share memory, worked out from their infos.
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

// The nodes of a job, in the order of their ranks. `infos`: of all ranks; that of rank 0 says how
// many may share memory. Ranks of one node have numbers that follow each other, so an error where
// ranks that could share memory have others between them; `in_order` says how to do better.
Result<std::vector<NodeShare>> find_nodes(std::span<const ProcessInfo> infos,
                                          std::string_view in_order);

// The first rank of the node of `rank` where find_nodes() finds no fault, in few steps: `is_near`
// tells whether a lower rank could share memory with it, as far as their infos say.
// `node_ranks`: how many may; 0: all.
using IsNear = std::function<Result<bool>(std::uint32_t other)>;
Result<std::uint32_t> find_first_of_node(std::uint32_t rank, std::uint32_t node_ranks,
                                         const IsNear& is_near);

}  // namespace gondwana
