// Blocks of memory at any process: see gasnet/blocks.h.
#include "gasnet/blocks.h"

#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "gasnet/system.h"

namespace {

using namespace gondwana;          // NOLINT(google-build-using-namespace): names of C follow
using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace)

static_assert(GONDWANA_GASNET_BLOCKS_EP == SegmentDirectory::blocks);

// Blocks of this node need none.
Lane& lane_of(Door& door) {
  Lane* lane = door.remote().lane();
  return lane != nullptr ? *lane : door.engine().default_lane();
}

RemoteSegment blocks_of(Door& door, gex_Rank_t process) {
  Directories& all = door.directories();
  return door.reaches(process) ? all.known_segment(process, SegmentDirectory::blocks)
                               : all.far_segment(process, SegmentDirectory::blocks);
}

}  // namespace

void* gondwana_gasnet_malloc_at(gex_Rank_t jobrank, size_t bytes) {
  if (bytes == 0) return nullptr;
  Door& here = door();
  const Result<std::uint64_t> offset =
      here.engine().blocks().allocate(lane_of(here), Rank(jobrank), bytes, BlockOwner::none);
  if (!offset) {
    refuse(offset.error(), "gondwana_gasnet_malloc_at");
    return nullptr;
  }
  const RemoteSegment blocks = blocks_of(here, jobrank);
  return reinterpret_cast<void*>(blocks.owner + (*offset - blocks.offset));
}

int gondwana_gasnet_free_at(gex_Rank_t jobrank, void* block) {
  constexpr auto call = "gondwana_gasnet_free_at";
  if (block == nullptr) return GASNET_OK;
  Door& here = door();
  if (jobrank >= here.ranks())
    return refuse(GASNET_ERR_BAD_ARG, call,
                  fmt::format("rank {}: the job has ranks 0 to {}", jobrank, here.ranks() - 1));
  const RemoteSegment blocks = blocks_of(here, jobrank);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(block) - blocks.owner;
  if (offset >= blocks.size)
    return refuse(GASNET_ERR_BAD_ARG, call,
                  fmt::format("{} is no address of a block of rank {}", block, jobrank));
  const Result<void> freed =
      here.engine().blocks().release(lane_of(here), {Rank(jobrank), blocks.offset + offset});
  return freed ? GASNET_OK : refuse(freed.error(), call);
}
