// The client, the job and its hosts. GASNet-EX 0.19, Client, Neighborhood and Host.
#include "gasnet/system.h"

#include <cstdlib>

#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet/client.h"
#include "gasnet_mk.h"

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

namespace {

// All ranks of the node share memory. A host is one node unless the user splits it.
void give(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p, gex_Rank_t* my_info_index_p) {
  const std::vector<RankInfo>& neighbors = door().neighbors();
  if (info_p != nullptr) *info_p = neighbors.data();
  if (info_count_p != nullptr) *info_count_p = static_cast<gex_Rank_t>(neighbors.size());
  if (my_info_index_p != nullptr) *my_info_index_p = door().rank() - neighbors[0].gex_jobrank;
}

// The number of nodes, and the index of this one.
void give_node(gex_Rank_t* set_size_p, gex_Rank_t* set_rank_p) {
  const gondwana::NodeShare& share = door().engine().memory().plan();
  if (set_size_p != nullptr) *set_size_p = share.nodes;
  if (set_rank_p != nullptr) *set_rank_p = share.node;
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
  give(info_p, info_count_p, my_info_index_p);
}

void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                              gex_Rank_t* my_info_index_p) {
  give(info_p, info_count_p, my_info_index_p);
}

void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p) {
  give_node(nbrhd_set_size_p, nbrhd_set_rank_p);
  give_node(host_set_size_p, host_set_rank_p);
}

// There are no progress threads: ranks of a node reach each other without them.
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned* count_p,
                                    const gex_ProgressThreadInfo_t** /*info_p*/,
                                    gex_Flags_t /*flags*/) {
  if ((client->flags & GEX_FLAG_DEFER_THREADS) == 0)
    return refuse(GASNET_ERR_RESOURCE, "gex_System_QueryProgressThreads",
                  "the client was made without GEX_FLAG_DEFER_THREADS");
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
