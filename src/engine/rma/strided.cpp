// Strided puts and gets beyond reach. Blocks are packed if the wire packs blocks of this size, and
// otherwise sent one by one.
#include "engine/rma/rma.hpp"

namespace gondwana {

bool Rma::put_strided_elsewhere(Lane& lane, Rank to, void* dest, const void* source,
                                const Blocks& blocks) {
  const auto [width, size, count, strides] = blocks;
  const Extent span = extent_of(count, strides.target, width, size);
  const Strides in_bytes = byte_strides(blocks);
  auto* place = static_cast<std::byte*>(dest);
  const auto* from = static_cast<const std::byte*>(source);
  const auto pieces_at = [&](std::size_t offset) {
    return StridedRun{.size = size,
                      .count = count,
                      .there = offset - static_cast<std::size_t>(span.begin),
                      .there_stride = in_bytes.target,
                      .here = const_cast<std::byte*>(from),
                      .here_stride = in_bytes.source};
  };
  if (const auto on_device = place_for_kinds(to, place + span.begin, span.size, source))
    return kinds_->put(lane, on_device->owner(), pieces_at(on_device->offset));
  if (const Reach::Place target = place_near(to, place + span.begin, span.size)) {
    strided::copy_blocks(size, count, {target.data() - span.begin, in_bytes.target},
                         {from, in_bytes.source});
    Reach::wake(target.window);
    lane.counters().add_put(count * size);
    return true;
  }
  const Result<Remote> whole = locate_any("put", to, place + span.begin, span.size);
  if (!whole) return lane.fail(whole.error());
  if (remote_->packs(size) && count > 1)
    return remote_->put_packed(lane, whole->owner(), pieces_at(whole->offset));
  for (std::size_t i = 0; i < count; ++i, place += in_bytes.target, from += in_bytes.source)
    if (!put_elsewhere(lane, to, place, from, size)) return false;
  return true;
}

bool Rma::get_strided_elsewhere(Lane& lane, Rank from, void* dest, const void* source,
                                const Blocks& blocks) {
  const auto [width, size, count, strides] = blocks;
  const Extent span = extent_of(count, strides.source, width, size);
  const Strides in_bytes = byte_strides(blocks);
  auto* target = static_cast<std::byte*>(dest);
  const auto* place = static_cast<const std::byte*>(source);
  const auto pieces_at = [&](std::size_t offset) {
    return StridedRun{.size = size,
                      .count = count,
                      .there = offset - static_cast<std::size_t>(span.begin),
                      .there_stride = in_bytes.source,
                      .here = target,
                      .here_stride = in_bytes.target};
  };
  if (const auto on_device = place_for_kinds(from, place + span.begin, span.size, dest))
    return kinds_->get(lane, on_device->owner(), pieces_at(on_device->offset));
  if (const Reach::Place origin = place_near(from, place + span.begin, span.size)) {
    strided::copy_blocks(size, count, {target, in_bytes.target},
                         {origin.data() - span.begin, in_bytes.source});
    lane.counters().add_get(count * size);
    return true;
  }
  const Result<Remote> whole = locate_any("get", from, place + span.begin, span.size);
  if (!whole) return lane.fail(whole.error());
  if (remote_->packs(size) && count > 1)
    return remote_->get_packed(lane, whole->owner(), pieces_at(whole->offset));
  for (std::size_t i = 0; i < count; ++i, target += in_bytes.target, place += in_bytes.source)
    if (!get_elsewhere(lane, from, target, place, size)) return false;
  return true;
}

}  // namespace gondwana
