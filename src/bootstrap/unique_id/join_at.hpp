// Joins the ranks that meet at a place.
#pragma once

#include <string_view>

#include "bootstrap/join.hpp"
#include "bootstrap/unique_id/keyed_hash.hpp"
#include "bootstrap/unique_id/start_place.hpp"
#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana {

// Rank 0 may start last. All others wait for it, at most GONDWANA_JOIN_TIMEOUT.
Result<Membership> join_at(const StartPlace& place, const Options& options);

// Blanks around a secret do not matter: editors and shells add them.
HashKey key_of(std::string_view secret);

}  // namespace gondwana
