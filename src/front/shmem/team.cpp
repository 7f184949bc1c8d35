#include "front/shmem/team.hpp"

#include "front/shmem/checks.hpp"

namespace gondwana::shmem {
namespace {

// `config` is valid only if the mask selects it.
int contexts_asked_for(const Caller& caller, const shmem_team_config_t* config, long mask) {
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) == 0) return 0;
  if (config == nullptr) give_up(caller.name, "config_mask is not 0, but config is null");
  return config->num_contexts;
}

// All members find the same error, so member 0 prints it.
int refuse_split(const Caller& caller, const Team& parent, const std::string& why) {
  if (parent.me == 0) caller.report(why);
  return 1;
}

// Makes the teams of a split. Each rank of the parent passes its shape in `mine`.
int split(const Caller& caller, Team& parent, const std::optional<Members>& mine, int contexts,
          shmem_team_t* handle) {
  const Result<Team*> team = caller.engine.collectives().split(parent, caller.name, mine);
  if (!team) return refuse_split(caller, parent, team.error().text);
  if (*team == nullptr) return 0;
  caller.door.contexts_asked_for((*team)->number) = contexts;
  *handle = handle_of(**team);
  return 0;
}

bool is_valid(const Team& parent, int start, int stride, int size) {
  const std::int64_t last = start + std::int64_t{stride} * (std::int64_t{size} - 1);
  const auto is_member = [&](std::int64_t member) { return member >= 0 && member < parent.size; };
  return size > 0 && is_member(start) && is_member(last) && (stride != 0 || size == 1);
}

void examine_new_team(const Caller& caller, const char* argument, const shmem_team_t* team,
                      const char* mask_argument, long mask) {
  examine_given(caller, argument, static_cast<const void*>(team));
  examine_bits(caller, mask_argument, mask, SHMEM_TEAM_NUM_CONTEXTS, "SHMEM_TEAM_NUM_CONTEXTS");
}

}  // namespace

int team_translate_pe(Caller caller, shmem_team_t from, int pe, shmem_team_t to) {
  const Team* source = find_team(caller.engine, from);
  const Team* target = find_team(caller.engine, to);
  if (source == nullptr || target == nullptr) return -1;
  if (pe < 0 || static_cast<std::uint32_t>(pe) >= source->size) return -1;
  const auto member = target->member_of(source->rank_of(static_cast<std::uint32_t>(pe)));
  return member ? static_cast<int>(*member) : -1;
}

void* team_ptr(Caller caller, shmem_team_t handle, const void* object, int pe) {
  const Team* team = find_team(caller.engine, handle);
  if (team == nullptr || pe < 0 || static_cast<std::uint32_t>(pe) >= team->size) return nullptr;
  return caller.engine.rma().pointer_to(team->rank_of(static_cast<std::uint32_t>(pe)), object);
}

int team_get_config(Caller caller, shmem_team_t handle, long mask, shmem_team_config_t* config) {
  const Team* team = find_team(caller.engine, handle);
  if (team == nullptr) return 1;
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0)
    config->num_contexts = caller.door.contexts_asked_for(team->number);
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): the standard's parameters
int team_split_strided(Caller caller, shmem_team_t parent_handle, int start, int stride, int size,
                       const shmem_team_config_t* config, long mask, shmem_team_t* handle) {
  if (caller.checks_enabled()) examine_new_team(caller, "new_team", handle, "config_mask", mask);
  *handle = SHMEM_TEAM_INVALID;
  Team* parent = find_team(caller.engine, parent_handle);
  if (parent == nullptr) return 1;
  if (caller.checks_enabled())
    examine_collective(caller, *parent,
                       fmt::format("start {}, stride {}, size {}", start, stride, size));
  if (!is_valid(*parent, start, stride, size))
    return refuse_split(caller, *parent,
                        fmt::format("start {}, stride {}, size {}: exceeds the parent, which has "
                                    "members 0 to {}, or names one twice",
                                    start, stride, size, parent->size - 1));
  const Members members{static_cast<std::uint32_t>(start), stride,
                        static_cast<std::uint32_t>(size)};
  return split(caller, *parent, members.find(parent->me) ? std::optional(members) : std::nullopt,
               contexts_asked_for(caller, config, mask), handle);
}

// Makes rows of xrange members (the last row may be shorter), and columns.
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
int team_split_2d(Caller caller, shmem_team_t parent_handle, int xrange,
                  const shmem_team_config_t* x_config, long x_mask, shmem_team_t* x_team,
                  const shmem_team_config_t* y_config, long y_mask, shmem_team_t* y_team) {
  if (caller.checks_enabled()) {
    examine_new_team(caller, "xaxis_team", x_team, "xaxis_mask", x_mask);
    examine_new_team(caller, "yaxis_team", y_team, "yaxis_mask", y_mask);
  }
  *x_team = *y_team = SHMEM_TEAM_INVALID;
  Team* parent = find_team(caller.engine, parent_handle);
  if (parent == nullptr) return 1;
  if (caller.checks_enabled())
    examine_collective(caller, *parent, fmt::format("xrange {}", xrange));
  if (xrange < 1)
    return refuse_split(caller, *parent, fmt::format("xrange {}: expected at least 1", xrange));
  const std::uint32_t width = std::min(static_cast<std::uint32_t>(xrange), parent->size);
  const std::uint32_t row = parent->me / width * width;
  const std::uint32_t column = parent->me % width;
  const Members x{row, 1, std::min(width, parent->size - row)};
  const Members y{column, static_cast<std::int32_t>(width),
                  (parent->size - column + width - 1) / width};
  const int failed =
      split(caller, *parent, x, contexts_asked_for(caller, x_config, x_mask), x_team);
  if (failed != 0) return failed;
  if (split(caller, *parent, y, contexts_asked_for(caller, y_config, y_mask), y_team) == 0)
    return 0;
  team_destroy(caller, *x_team);
  *x_team = SHMEM_TEAM_INVALID;
  return 1;
}

void team_destroy(Caller caller, shmem_team_t handle) {
  if (handle == SHMEM_TEAM_INVALID) return;
  Team& team = team_of(caller, handle);
  if (&team == &caller.engine.teams().world() || &team == &caller.engine.teams().shared())
    give_up(caller.name, "SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED cannot be destroyed");
  if (caller.checks_enabled()) examine_collective(caller, team, "");
  caller.door.contexts().destroy_all_of(team);
  caller.engine.collectives().destroy(team, caller.name);
}

}  // namespace gondwana::shmem
