// Figures of jobs that are too large to be measured, from those that were.
//
// Each figure is a + b * shape(ranks): of a few shapes, the one that differs least from the last
// measured rows of several nodes.
#pragma once

#include <span>

#include "core/result.hpp"
#include "report/bench/scale/row.hpp"

namespace gondwana::bench::scale {

inline constexpr std::size_t fitted_rows = 5;  // at most; three are the least

// The row of a job of `ranks` ranks. `real` is in the order of ranks.
Result<ScaleRow> modelled_row(std::span<const ScaleRow> real, std::uint32_t ranks);

}  // namespace gondwana::bench::scale
