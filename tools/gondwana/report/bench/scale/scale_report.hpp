// Formats the rows of `gondwana bench scale` as a table, as CSV or as JSON.
#pragma once

#include <string>
#include <vector>

#include "report/bench/scale/row.hpp"
#include "report/bench/scale/scale_choices.hpp"

namespace gondwana::bench::scale {

std::string scale_report(const ScaleChoices& choices, const std::vector<ScaleRow>& rows);

}  // namespace gondwana::bench::scale
