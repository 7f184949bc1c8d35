// Which rank is this process, which are its peers, and where is their memory? Asked once, before
// anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bootstrap/launcher_link.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"
#include "core/variables.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

struct Membership {
  Rank rank{0};
  std::uint32_t ranks = 1;
  NodePlan plan;
  std::uint64_t job_tag = 0;
  UniqueFd control;
  // Kept open as long as this rank lives, where its node has an agent that no guardian looks after:
  // the agent ends when all ranks of the node have. Its end is closed when the agent is gone.
  UniqueFd lifeline;
  // Kept open as long as this program is the rank: its guardian sees it close.
  UniqueFd image;
  // What NodePlan::descriptors() counts, from 0: each to be asked for once and in this order.
  std::function<Result<UniqueFd>(std::uint32_t number)> next_arena;
  LauncherLink launcher;
  // Empty, or to be left in GONDWANA_JOINED for the programs that this one starts: they are not
  // this rank.
  std::string identity;
};

// Through `gondwana run` where its variables are set, else through the launcher that started this
// process as one of several, else alone. An error where that launcher offers no way to meet the
// others: better none than many jobs of one rank each.
Result<Membership> join(const Environment& environment);

// What a node agent learns over the socket that its guardian left it; it sees all memory of the
// node and is none of its ranks. The socket stays with the link to the launcher.
Result<Membership> join_as_agent(const Environment& environment);

}  // namespace gondwana
