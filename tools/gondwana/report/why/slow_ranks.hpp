// Finds ranks that do more work than the others, or do it more slowly.
#pragma once

#include <optional>
#include <string>

#include "observe/jobs/watch.hpp"
#include "report/why/rank_text.hpp"

namespace gondwana::why {

struct SlowRanks {
  Ranks ranks;
  std::string message;
};

// Nothing if the ranks wait about equally long.
std::optional<SlowRanks> find_slow(const jobs::JobSeen& job);

}  // namespace gondwana::why
