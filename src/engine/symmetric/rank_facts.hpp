// Facts that must be the same on all ranks; otherwise addresses would differ in meaning.
#pragma once

#include "core/result.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// The error says what differs from rank 0, and what to set.
Result<void> compare_with_first(const RankFacts& mine, const RankFacts& first);

}  // namespace gondwana
