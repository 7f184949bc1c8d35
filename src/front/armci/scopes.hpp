// The processes that take part in a collective: SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS.
#pragma once

#include <vector>

#include "front/armci/door.hpp"

namespace gondwana::armci {

// Null: the caller is not a member. The first call for a scope is collective over it.
Group* scope_of(CallName call, Door& here, int scope);
// The ranks of the scope's members. Not collective.
std::vector<Rank> members_of_scope(CallName call, Door& here, int scope);
// Ends the job if `n` is negative.
inline std::size_t checked_count(CallName call, int n) {
  if (n < 0) give_up(call, fmt::format("{} elements", n));
  return static_cast<std::size_t>(n);
}

}  // namespace gondwana::armci
