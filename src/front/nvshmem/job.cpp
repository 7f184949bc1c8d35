#include "front/nvshmem/job.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "front/nvshmem/heap.hpp"
#include "front/nvshmem/mpi.hpp"
#include "front/nvshmem/say.hpp"
#include "front/nvshmem/teams.hpp"
#include "shmemx.h"

namespace gondwana::nvshmem {
namespace {

constexpr std::array levels{SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED,
                            SHMEM_THREAD_MULTIPLE};

// Init calls without a matching finalize.
int& inits() {
  static int count = 0;
  return count;
}

// Whether the CUDA driver is loaded, or may be later: because of GONDWANA_KINDS, or by the CUDA
// runtime. A statically linked runtime cannot be detected, but its device files can.
bool may_have_streams() {
  const char* kinds = std::getenv("GONDWANA_KINDS");
  return shmemx_streams() != 0 || (kinds != nullptr && std::strstr(kinds, "cuda") != nullptr) ||
         ::dlsym(RTLD_DEFAULT, "cudaGetDevice") != nullptr || ::access("/dev/dxg", F_OK) == 0;
}

// A thread of the library runs the calls of a stream.
int needed_level(int level) {
  return may_have_streams() ? SHMEM_THREAD_MULTIPLE : level;
}

void start(const char* call, int level) {
  if (inits()++ > 0) return;
  int provided = 0;
  if (shmem_init_thread(needed_level(level), &provided) != 0)
    give_up(call, "OpenSHMEM failed to start");
  start_teams();
}

// The door below prints why it refuses.
int start_by_unique_id(const nvshmemx_uniqueid_args_t& args) {
  if (args.id == nullptr) {
    tell("nvshmemx_init_attr", "no unique id; call nvshmemx_set_attr_uniqueid_args before");
    return NVSHMEMX_ERROR_INVALID_VALUE;
  }
  shmemx_uniqueid_t id;
  static_assert(sizeof(id) == sizeof(nvshmemx_uniqueid_t));
  std::memcpy(&id, args.id, sizeof(id));
  shmemx_init_attr_t below = SHMEMX_INIT_ATTR_INITIALIZER;
  below.thread_level = needed_level(SHMEM_THREAD_SERIALIZED);
  if (shmemx_set_attr_uniqueid_args(args.myrank, args.nranks, &id, &below) != 0)
    return NVSHMEMX_ERROR_INVALID_VALUE;
  if (inits() == 0 && shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID, &below) != 0)
    return NVSHMEMX_ERROR_INTERNAL;
  if (inits()++ == 0) start_teams();
  return 0;
}

}  // namespace

void init(const char* call) {
  start(call, SHMEM_THREAD_SERIALIZED);
}

int init_thread(int requested, int* provided) {
  if (requested < 0 || requested >= static_cast<int>(levels.size()))
    return NVSHMEMX_ERROR_INVALID_VALUE;
  start("nvshmem_init_thread", levels.at(static_cast<std::size_t>(requested)));
  query_thread(provided);
  return 0;
}

void query_thread(int* provided) {
  int level = SHMEM_THREAD_SINGLE;
  shmem_query_thread(&level);
  *provided = static_cast<int>(std::ranges::find(levels, level) - levels.begin());
}

int init_attr(unsigned flags, const nvshmemx_init_attr_t* attributes) {
  constexpr const char* call = "nvshmemx_init_attr";
  if ((flags & NVSHMEMX_INIT_WITH_UNIQUEID) != 0)
    return start_by_unique_id(attributes->args.uid_args);
  start(call, SHMEM_THREAD_SERIALIZED);
  if ((flags & NVSHMEMX_INIT_WITH_MPI_COMM) != 0) require_same_ranks(call, attributes->mpi_comm);
  return 0;
}

int init_status() {
  if (inits() == 0) return NVSHMEM_STATUS_NOT_INITIALIZED;
  return has_heap() ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_IS_BOOTSTRAPPED;
}

void finalize() {
  if (inits() == 0) return;
  --inits();
  if (inits() > 0) return;
  shmemx_quiet_streams();
  shmem_quiet();
  end_heap();
  end_teams();
  shmem_finalize();
}

int get_uniqueid(nvshmemx_uniqueid_t* uniqueid) {
  shmemx_uniqueid_t id;
  if (shmemx_get_uniqueid(&id) != 0) return NVSHMEMX_ERROR_INTERNAL;
  std::memcpy(uniqueid, &id, sizeof(id));
  return 0;
}

int set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t* uniqueid,
                           nvshmemx_init_attr_t* attributes) {
  nvshmemx_uniqueid_args_t& args = attributes->args.uid_args;
  args.id = const_cast<nvshmemx_uniqueid_t*>(uniqueid);
  args.myrank = rank;
  args.nranks = ranks;
  return 0;
}

int set_attr_mpi_comm_args(void* mpi_comm, nvshmemx_init_attr_t* attributes) {
  attributes->mpi_comm = mpi_comm;
  return 0;
}

int refuse_module(const char* call) {
  tell(call, "code for GPUs is not supported; only host-side calls are");
  return NVSHMEMX_ERROR_NOT_SUPPORTED;
}

void info_get_version(int* major, int* minor) {
  *major = NVSHMEM_MAJOR_VERSION;
  *minor = NVSHMEM_MINOR_VERSION;
}

void info_get_name(char* name) {
  std::memcpy(name, NVSHMEM_VENDOR_STRING, sizeof(NVSHMEM_VENDOR_STRING));
}

void vendor_get_version_info(int* major, int* minor, int* patch) {
  *major = NVSHMEM_VENDOR_MAJOR_VERSION;
  *minor = NVSHMEM_VENDOR_MINOR_VERSION;
  *patch = NVSHMEM_VENDOR_PATCH_VERSION;
}

}  // namespace gondwana::nvshmem
