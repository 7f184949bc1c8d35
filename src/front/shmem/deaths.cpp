#include "front/shmem/deaths.hpp"

#include <algorithm>

#include "front/shmem/checks.hpp"
#include "front/shmem/team.hpp"

namespace gondwana::shmem {

int pe_state(Caller caller, int pe) {
  const Rank rank = rank_of(pe);
  if (index(rank) >= std::max(caller.engine.ranks(), caller.engine.memory().roster().size()))
    return -1;
  const DeathList& list = caller.engine.waiter().losses().list();
  if (!list.has(rank)) {
    const bool is_later = index(rank) >= caller.engine.ranks();
    return is_later && caller.engine.rma().late().is_awaited(rank) ? SHMEMX_PE_JOINING
                                                                   : SHMEMX_PE_ALIVE;
  }
  heed_deaths();
  return list.has_left(rank) ? SHMEMX_PE_LEFT : SHMEMX_PE_DEAD;
}

int pe_restarts(Caller caller, int pe) {
  if (static_cast<std::uint32_t>(pe) >= caller.engine.ranks()) return -1;
  return static_cast<int>(caller.engine.waiter().losses().list().replacements_of(rank_of(pe)));
}

int status(Caller caller) {
  const std::uint32_t deaths = caller.lane.take_loss();
  if (deaths == 0) return 0;
  caller.engine.waiter().losses().acknowledge(deaths);
  return SHMEMX_ERR_DEAD_PE;
}

int team_shrink(Caller caller, shmem_team_t handle, shmem_team_t* living) {
  if (caller.checks_enabled()) examine_given(caller, "new_team", static_cast<const void*>(living));
  *living = SHMEM_TEAM_INVALID;
  Team& parent = team_of(caller, handle);
  const Result<Team*> team = caller.engine.collectives().shrink(parent, caller.name);
  if (caller.engine.waiter().losses().list().size() != 0) heed_deaths();
  if (!team) {
    caller.report(team.error().text);
    return 1;
  }
  caller.door.contexts_asked_for((*team)->number) = caller.door.contexts_asked_for(parent.number);
  *living = handle_of(**team);
  return 0;
}

}  // namespace gondwana::shmem
