// Facts that must be the same on all ranks. Otherwise addresses would mean different objects.
#pragma once

#include "core/result.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// The error names the difference from rank 0, and the setting to change.
Result<void> compare_with_first(const RankFacts& mine, const RankFacts& first);

}  // namespace gondwana
