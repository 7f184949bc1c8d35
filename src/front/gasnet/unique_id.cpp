// Start by a unique id: as shmemx_init_attr, but the client is started afterwards.
#include <cstring>
#include <string_view>

#include "bootstrap/protocol.hpp"
#include "core/print_error.hpp"
#include "gasnet/system.h"
#include "gasnet/unique_id.h"
#include "process/change_job.hpp"
#include "process/process.hpp"

namespace {

using namespace gondwana;  // NOLINT(google-build-using-namespace): names of C follow

int tell(std::string_view call, std::string_view sentence) {
  print_error("gondwana: {}: {}\n", call, sentence);
  return GASNET_ERR_RESOURCE;
}

}  // namespace

int gondwana_gasnet_get_uniqueid(void* id) {
  const Result<UniqueIdBytes> bytes = make_unique_id();
  if (!bytes) return tell("gondwana_gasnet_get_uniqueid", bytes.error().text);
  std::memcpy(id, bytes->data(), bytes->size());
  return GASNET_OK;
}

int gondwana_gasnet_join_uniqueid(const void* id, gex_Rank_t rank, gex_Rank_t ranks) {
  constexpr std::string_view call = "gondwana_gasnet_join_uniqueid";
  if (ranks == 0 || ranks > protocol::max_ranks || rank >= ranks)
    return tell(call, fmt::format("rank {} of {}: a job has 1 to {} ranks, with numbers from 0",
                                  rank, ranks, protocol::max_ranks));
  if (this_process().users > 0)
    return tell(call, "this process is in a job; call it before any API is initialized");
  UniqueIdBytes bytes;
  std::memcpy(bytes.data(), id, bytes.size());
  const Result<UniqueId> read = read_unique_id(bytes);
  if (!read) return tell(call, read.error().text);
  const Result<void> joined = join_job({*read, rank, ranks});
  return joined ? GASNET_OK : tell(call, joined.error().text);
}
