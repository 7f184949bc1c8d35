// Teams by NVSHMEM's numbers.
#pragma once

#include "nvshmem_types.h"
#include "shmem.h"

namespace gondwana::nvshmem {

// Collective.
void start_teams();
void end_teams();

// SHMEM_TEAM_INVALID if no team has the number.
shmem_team_t team_of(nvshmem_team_t team);

int team_my_pe(nvshmem_team_t team);
int team_n_pes(nvshmem_team_t team);
int team_translate_pe(nvshmem_team_t from, int pe, nvshmem_team_t to);
void team_get_config(nvshmem_team_t team, nvshmem_team_config_t* config);
int team_split_strided(nvshmem_team_t parent, int start, int stride, int size,
                       nvshmem_team_t* team);
int team_split_2d(nvshmem_team_t parent, int xrange, nvshmem_team_t* x_team,
                  nvshmem_team_t* y_team);
void team_destroy(nvshmem_team_t team);
int team_get_uniqueid(const nvshmemx_team_uniqueid_t* uniqueid);
int team_init(nvshmem_team_t* team, const nvshmem_team_config_t* config, long mask, int pes,
              int index);

}  // namespace gondwana::nvshmem
