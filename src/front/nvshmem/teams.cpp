#include "front/nvshmem/teams.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "front/nvshmem/say.hpp"

namespace gondwana::nvshmem {
namespace {

struct Teams {
  std::mutex mutex;                 // guards `known`
  std::vector<shmem_team_t> known;  // by number
};

Teams& teams() {
  static Teams instance;
  return instance;
}

nvshmem_team_t add(shmem_team_t team) {
  if (team == SHMEM_TEAM_INVALID) return NVSHMEM_TEAM_INVALID;
  const std::scoped_lock lock(teams().mutex);
  std::vector<shmem_team_t>& known = teams().known;
  const auto place = std::find(known.begin() + NVSHMEM_TEAMS_MIN, known.end(), SHMEM_TEAM_INVALID);
  const auto number = static_cast<nvshmem_team_t>(place - known.begin());
  if (place == known.end())
    known.push_back(team);
  else
    *place = team;
  return number;
}

// Whether all nodes have the same number of PEs. Collective.
bool nodes_are_alike(int node_size) {
  auto* words = static_cast<int*>(shmem_malloc(3 * sizeof(int)));
  if (words == nullptr) give_up("nvshmem_init", "the symmetric heap of the host is full");
  words[0] = node_size;
  shmem_int_min_reduce(SHMEM_TEAM_WORLD, words + 1, words, 1);
  shmem_int_max_reduce(SHMEM_TEAM_WORLD, words + 2, words, 1);
  const bool are_alike = words[1] == words[2];
  shmem_free(words);
  return are_alike;
}

shmem_team_t same_number_on_all_nodes() {
  const int node_size = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  if (!nodes_are_alike(node_size)) return SHMEM_TEAM_INVALID;
  shmem_team_t node = SHMEM_TEAM_INVALID;
  shmem_team_t others = SHMEM_TEAM_INVALID;
  shmem_team_split_2d(SHMEM_TEAM_WORLD, node_size, nullptr, 0, &node, nullptr, 0, &others);
  shmem_team_destroy(node);
  return others;
}

}  // namespace

void start_teams() {
  teams().known = {SHMEM_TEAM_WORLD,           SHMEM_TEAM_SHARED,  SHMEM_TEAM_SHARED,
                   same_number_on_all_nodes(), SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID};
}

void end_teams() {
  shmem_team_destroy(team_of(NVSHMEMX_TEAM_SAME_MYPE_NODE));
  teams().known.clear();
}

shmem_team_t team_of(nvshmem_team_t team) {
  const std::scoped_lock lock(teams().mutex);
  const auto number = static_cast<std::size_t>(team);  // huge for INVALID
  return number < teams().known.size() ? teams().known[number] : SHMEM_TEAM_INVALID;
}

int team_my_pe(nvshmem_team_t team) {
  return shmem_team_my_pe(team_of(team));
}

int team_n_pes(nvshmem_team_t team) {
  return shmem_team_n_pes(team_of(team));
}

int team_translate_pe(nvshmem_team_t from, int pe, nvshmem_team_t to) {
  return shmem_team_translate_pe(team_of(from), pe, team_of(to));
}

// The members of a configuration are hints, and have no effect here.
void team_get_config(nvshmem_team_t team, nvshmem_team_config_t* config) {
  if (team_of(team) == SHMEM_TEAM_INVALID) return;
  *config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
  config->num_contexts = 0;
}

int team_split_strided(nvshmem_team_t parent, int start, int stride, int size,
                       nvshmem_team_t* team) {
  shmem_team_t made = SHMEM_TEAM_INVALID;
  const int result =
      shmem_team_split_strided(team_of(parent), start, stride, size, nullptr, 0, &made);
  *team = add(made);
  return result;
}

int team_split_2d(nvshmem_team_t parent, int xrange, nvshmem_team_t* x_team,
                  nvshmem_team_t* y_team) {
  shmem_team_t x_made = SHMEM_TEAM_INVALID;
  shmem_team_t y_made = SHMEM_TEAM_INVALID;
  const int result =
      shmem_team_split_2d(team_of(parent), xrange, nullptr, 0, &x_made, nullptr, 0, &y_made);
  *x_team = add(x_made);
  *y_team = add(y_made);
  return result;
}

void team_destroy(nvshmem_team_t team) {
  if (team < NVSHMEM_TEAMS_MIN) return;  // INVALID, and the predefined teams
  const shmem_team_t ended = team_of(team);
  if (ended == SHMEM_TEAM_INVALID) return;
  shmem_team_destroy(ended);
  const std::scoped_lock lock(teams().mutex);
  teams().known[static_cast<std::size_t>(team)] = SHMEM_TEAM_INVALID;
}

int team_get_uniqueid(const nvshmemx_team_uniqueid_t* /*uniqueid*/) {
  tell("nvshmemx_team_get_uniqueid", "teams by unique id are not implemented");
  return NVSHMEMX_ERROR_NOT_SUPPORTED;
}

int team_init(nvshmem_team_t* team, const nvshmem_team_config_t* /*config*/, long /*mask*/,
              int /*pes*/, int /*index*/) {
  tell("nvshmemx_team_init", "teams by unique id are not implemented");
  *team = NVSHMEM_TEAM_INVALID;
  return NVSHMEMX_ERROR_NOT_SUPPORTED;
}

}  // namespace gondwana::nvshmem
