// Joins a job by a unique id.
#pragma once

#include "bootstrap/join.hpp"
#include "bootstrap/unique_id/session.hpp"
#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana {

// Waits for all ranks, at most GONDWANA_JOIN_TIMEOUT.
Result<Membership> join_by_unique_id(const UniqueStart& start, const Options& options);

}  // namespace gondwana
