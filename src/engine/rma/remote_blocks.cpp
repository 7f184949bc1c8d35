#include "engine/rma/remote_blocks.hpp"

#include <fmt/format.h>

#include "core/mapping.hpp"
#include "memory/owned_blocks.hpp"

namespace gondwana {
namespace {

// The error that the lane holds. The lane can be used further.
Error take_error(Lane& lane) {
  return lane.take_error().value_or(Error{Errc::peer_lost, "the node of that rank is lost"});
}

Error full_heap(Rank at, std::size_t size, std::size_t heap) {
  const char* advice = size > heap ? "raise" : "free blocks, or raise";
  return {Errc::out_of_memory,
          fmt::format("a block of {} at rank {}: its remote heap has no free piece of that size; "
                      "{} GONDWANA_REMOTE_HEAP, which is {} here",
                      format_size(size), index(at), advice, format_size(heap))};
}

Error smaller_heap(Rank at) {
  return {
      Errc::invalid_argument,
      fmt::format("rank {} has a larger remote heap than this rank; set GONDWANA_REMOTE_HEAP to "
                  "the same value on every rank",
                  index(at))};
}

Error no_block(Remote block, RemoteHeap::Release why) {
  const char* reason = why == RemoteHeap::Release::is_free   ? "is free already (freed twice?)"
                       : why == RemoteHeap::Release::outside ? "is outside its remote heap"
                                                             : "is not the start of a block";
  return {Errc::invalid_argument,
          fmt::format("offset {:#x} of rank {} {}", block.offset, index(block.rank), reason)};
}

}  // namespace

Result<void> RemoteBlocks::check(Rank rank) const {
  const std::uint32_t ranks = rma_.ranks();
  if (index(rank) < ranks) return {};
  return Error{Errc::invalid_argument, fmt::format("rank {}: this job has {} rank{}, 0 to {}",
                                                   static_cast<std::int32_t>(index(rank)), ranks,
                                                   ranks == 1 ? "" : "s", ranks - 1)};
}

Result<std::uint64_t> RemoteBlocks::allocate(Lane& lane, Rank at, std::size_t size,
                                             BlockOwner owner) {
  const RemoteHeap mine = memory_.remote_heap(memory_.roster().here().front());
  if (is_near(at)) [[likely]] {
    const std::uint64_t block = allocate_block(memory_, at, size, owner);
    return block != 0 ? Result(block) : full_heap(at, size, mine.size());
  }
  if (const Result<void> valid = check(at); !valid) return valid.error();
  const std::optional<std::uint64_t> block = remote_->allocate(lane, at, size, owner);
  if (!block) return take_error(lane);
  if (*block == 0) return full_heap(at, size, mine.size());
  if (*block + size <= mine.offset() + mine.size()) return *block;
  remote_->release(lane, {at, *block});
  return smaller_heap(at);
}

Result<void> RemoteBlocks::release(Lane& lane, Remote block) {
  std::optional<std::uint64_t> result;
  if (is_near(block.rank)) [[likely]]
    result = static_cast<std::uint64_t>(memory_.remote_heap(block.rank).release(block.offset));
  else if (const Result<void> valid = check(block.rank); !valid)
    return valid.error();
  else
    result = remote_->release(lane, block);
  if (!result) return take_error(lane);
  const auto how = static_cast<RemoteHeap::Release>(*result);
  if (how != RemoteHeap::Release::done) return no_block(block, how);
  return {};
}

}  // namespace gondwana
