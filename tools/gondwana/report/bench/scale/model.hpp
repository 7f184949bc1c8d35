// Models jobs that are too large to measure, from those that were measured.
//
// Each figure is modelled as a + b * shape(ranks). The shape is the one that fits the last measured
// rows of several nodes best.
#pragma once

#include <span>

#include "core/result.hpp"
#include "report/bench/scale/row.hpp"

namespace gondwana::bench::scale {

inline constexpr std::size_t fitted_rows = 5;  // the most rows of a fit, which needs at least three

// Models the row of a job of `ranks` ranks. `real` must be sorted by ranks.
Result<ScaleRow> modelled_row(std::span<const ScaleRow> real, std::uint32_t ranks);

}  // namespace gondwana::bench::scale
