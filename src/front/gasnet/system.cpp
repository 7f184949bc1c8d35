// The client, the job and its hosts. GASNet-EX 0.19, Client, Neighborhood and Host.
#include "gasnet/system.h"

#include <cstdlib>

#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet/client.h"
#include "gasnet_mk.h"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

namespace {

void give(const std::vector<RankInfo>& ranks, std::uint32_t position, gex_RankInfo_t** info_p,
          gex_Rank_t* info_count_p, gex_Rank_t* my_info_index_p) {
  if (info_p != nullptr) *info_p = ranks.data();
  if (info_count_p != nullptr) *info_count_p = static_cast<gex_Rank_t>(ranks.size());
  if (my_info_index_p != nullptr) *my_info_index_p = position;
}

}  // namespace

gex_Rank_t gex_System_QueryJobRank(void) {
  return door().rank();
}

gex_Rank_t gex_System_QueryJobSize(void) {
  return door().ranks();
}

uint64_t gex_System_QueryMaxThreads(void) {
  return door().threads() == ThreadMode::seq ? 1 : door().settings().most_threads;
}

void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                               gex_Rank_t* my_info_index_p) {
  const std::vector<RankInfo>& neighbors = door().neighbors();
  give(neighbors, door().rank() - neighbors[0].gex_jobrank, info_p, info_count_p, my_info_index_p);
}

void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                              gex_Rank_t* my_info_index_p) {
  const Hosts& hosts = door().hosts();
  give(hosts.mine, hosts.position, info_p, info_count_p, my_info_index_p);
}

void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p) {
  const gondwana::Roster& roster = door().engine().memory().roster();
  const Hosts& hosts = door().hosts();
  if (nbrhd_set_size_p != nullptr) *nbrhd_set_size_p = roster.nodes();
  if (nbrhd_set_rank_p != nullptr) *nbrhd_set_rank_p = roster.node();
  if (host_set_size_p != nullptr) *host_set_size_p = hosts.count;
  if (host_set_rank_p != nullptr) *host_set_rank_p = hosts.of_rank[door().rank()];
}

// There are no progress threads: ranks of a node reach each other without them.
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned* count_p,
                                    const gex_ProgressThreadInfo_t** /*info_p*/,
                                    gex_Flags_t /*flags*/) {
  if ((client->flags & GEX_FLAG_DEFER_THREADS) == 0)
    return refuse(GASNET_ERR_RESOURCE, "gex_System_QueryProgressThreads",
                  "the client was created without GEX_FLAG_DEFER_THREADS");
  *count_p = 0;
  return GASNET_OK;
}

int gex_System_QueryHiddenAMConcurrencyLevel(void) {
  return GASNET_HIDDEN_AM_CONCURRENCY_LEVEL;
}

char* gasnet_getenv(const char* name) {
  return std::getenv(name);
}

gex_Flags_t gex_Client_QueryFlags(gex_Client_t client) {
  return client->flags;
}

const char* gex_Client_QueryName(gex_Client_t client) {
  return client->name.c_str();
}

void gex_Client_SetCData(gex_Client_t client, const void* val) {
  client->data.value = val;
}

void* gex_Client_QueryCData(gex_Client_t client) {
  return const_cast<void*>(client->data.value);
}
