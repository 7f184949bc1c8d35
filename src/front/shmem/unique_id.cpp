#include "front/shmem/unique_id.hpp"

#include <cstring>
#include <string_view>

#include "bootstrap/protocol.hpp"
#include "core/print_error.hpp"
#include "front/shmem/setup.hpp"
#include "process/change_job.hpp"

namespace gondwana::shmem {
namespace {

static_assert(sizeof(shmemx_uniqueid_t) == unique_id_size);

constexpr int refused = 1;

int tell(CallName name, std::string_view sentence) {
  print_error("gondwana: {}: {}\n", name, sentence);
  return refused;
}

// The id of the present job.
shmemx_uniqueid_t& present() {
  static shmemx_uniqueid_t id{};
  return id;
}

bool is_present(const shmemx_uniqueid_t& id) {
  return std::memcmp(&present(), &id, sizeof id) == 0;
}

Result<void> join(const shmemx_init_attr_t& attributes) {
  UniqueIdBytes bytes;
  std::memcpy(bytes.data(), &attributes.uniqueid, bytes.size());
  const Result<UniqueId> id = read_unique_id(bytes);
  if (!id) return id.error();
  return join_job({*id, static_cast<std::uint32_t>(attributes.rank),
                   static_cast<std::uint32_t>(attributes.nranks)});
}

bool are_ranks_valid(int rank, int ranks) {
  return ranks > 0 && static_cast<std::uint32_t>(ranks) <= protocol::max_ranks && rank >= 0 &&
         rank < ranks;
}

}  // namespace

int get_uniqueid(CallName name, shmemx_uniqueid_t* uniqueid) {
  const Result<UniqueIdBytes> bytes = make_unique_id();
  if (!bytes) return tell(name, bytes.error().text);
  std::memcpy(uniqueid, bytes->data(), bytes->size());
  return 0;
}

int set_attr_uniqueid_args(CallName name, int rank, int ranks, const shmemx_uniqueid_t* uniqueid,
                           shmemx_init_attr_t* attributes) {
  if (!are_ranks_valid(rank, ranks))
    return tell(name, fmt::format("rank {} of {}: a job has 1 to {} ranks, with numbers from 0",
                                  rank, ranks, protocol::max_ranks));
  attributes->rank = rank;
  attributes->nranks = ranks;
  attributes->uniqueid = *uniqueid;
  return 0;
}

int init_attr(CallName name, unsigned flags, const shmemx_init_attr_t* attributes) {
  int provided = 0;
  const int level = attributes == nullptr ? SHMEM_THREAD_SINGLE : attributes->thread_level;
  if ((flags & SHMEMX_INIT_WITH_UNIQUEID) == 0) return init_thread(name, level, &provided);
  if (attributes == nullptr || !are_ranks_valid(attributes->rank, attributes->nranks))
    return tell(name, "no rank and size; call shmemx_set_attr_uniqueid_args before");
  int is_running = 0;
  query_initialized(name, &is_running);
  if (is_running != 0 && !is_present(attributes->uniqueid))
    return tell(name, "the library is initialized, in another job; call shmem_finalize before");
  if (is_running == 0) {
    if (const Result<void> joined = join(*attributes); !joined)
      return tell(name, joined.error().text);
    forget_parent();
    present() = attributes->uniqueid;
  }
  return init_thread(name, level, &provided);
}

}  // namespace gondwana::shmem
