// Finds this process's rank, its peers and their memory. Runs once, before anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bootstrap/launcher_link.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"
#include "core/variables.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

class UniqueIdServer;

struct Membership {
  Rank rank{0};
  Session session = {0, 1};  // the ranks that start with this one
  std::uint32_t ranks = 1;   // the end of the session: this rank knows all numbers below
  NodePlan plan;
  std::uint64_t job_tag = 0;
  UniqueFd control;
  // Stays open as long as this rank lives, if its node has an agent without a guardian: the agent
  // ends when all ranks of the node have ended. The other end closes when the agent is gone.
  UniqueFd lifeline;
  // Stays open as long as this program is the rank. Its guardian sees it close.
  UniqueFd image;
  // The descriptors that NodePlan::descriptors() counts, from 0: ask for each once, in order.
  std::function<Result<UniqueFd>(std::uint32_t number)> next_arena;
  LauncherLink launcher;
  // Empty, or the value of GONDWANA_JOINED for programs that this one starts: they are not this
  // rank.
  std::string identity;
  // Serves the other ranks if they meet at this one: see StartPlace. Its thread runs.
  std::shared_ptr<UniqueIdServer> server;
};

// Joins through `gondwana run` if its variables are set, else at the place that GONDWANA_MEET
// names, else through the foreign launcher that started several processes, else alone. An error if
// that launcher offers no way to find the others: an error is better than many jobs of one rank
// each.
Result<Membership> join(const Environment& environment);

// The data that a node agent receives over the socket from its guardian. The agent maps all memory
// of the node and is not a rank. The socket stays with the link to the launcher.
Result<Membership> join_as_agent(const Environment& environment);

}  // namespace gondwana
