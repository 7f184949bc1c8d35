// A job on one node: all of its ranks are engines, in threads of this process.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "figures.hpp"

namespace gondwana::scale {

// Byte counts are averages over the ranks.
Result<Figures> measure_on_one_node(std::uint32_t ranks);

}  // namespace gondwana::scale
