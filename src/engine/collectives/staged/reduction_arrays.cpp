#include "engine/collectives/staged/reduction_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/collectives/staged/copy_for_others.hpp"

namespace gondwana::staged {

class ReductionArrays::Copy {
 public:
  Copy(SegmentSpace& segments, MutableBytes bytes) : segments_(segments), bytes_(bytes) {}
  ~Copy() { segments_.release(bytes_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  std::byte* data() const { return bytes_.data(); }

 private:
  SegmentSpace& segments_;
  MutableBytes bytes_;
};

ReductionArrays::ReductionArrays(StagedTeam& team, CallName call, const Reduction& what,
                                 Sharing sharing)
    : round_(team), what_(what) {
  GONDWANA_ASSERT(team.reaches_all(), team.me());
  const std::size_t width = what.operation.width();
  per_piece_ = width <= buffer_size ? buffer_size / width : team.size();
  pieces_ = (what.count + per_piece_ - 1) / per_piece_;
  if (2 * pieces_ >= Mark::most)
    team.with().give_up(call, fmt::format("an array of {} is too much for one call; split it",
                                          format_size(what.size())));
  find_source(team, call, sharing);
  if (sharing == Sharing::source_and_result) find_result(team, call);
}

// If the result is written directly to a dest that is also the source, the source needs a copy.
void ReductionArrays::find_source(StagedTeam& team, CallName call, Sharing sharing) {
  const bool overwritten = sharing == Sharing::source && in_place();
  is_overwritten_ = overwritten && !what_.operation.may_replace_term();
  const bool is_read = sharing == Sharing::source_and_result || !what_.flow.to || !takes();
  source_place_ = overwritten ? nowhere : round_.team().offset_of(what_.source, what_.size());
  if (source_place_ != nowhere || (!is_read && !overwritten)) return;
  if (what_.operation.width() <= buffer_size) {
    stages_ = true;
    ticket_ = round_.team().area_queue().join();
    return;
  }
  source_copy_ = make_copy(team, call);
  source_place_ = team.offset_in_arena(source_copy_->data());
}

void ReductionArrays::find_result(StagedTeam& team, CallName call) {
  if (what_.operation.width() <= buffer_size) {
    if (!ticket_) ticket_ = round_.team().area_queue().join();
    return;
  }
  result_copy_ = make_copy(team, call);
  result_place_ = team.offset_in_arena(result_copy_->data());
}

std::shared_ptr<ReductionArrays::Copy> ReductionArrays::make_copy(StagedTeam& team,
                                                                  CallName call) const {
  SegmentSpace& segments = team.with().segments;
  const std::optional<MutableBytes> bytes = segments.allocate(what_.size());
  if (!bytes)
    team.with().give_up(
        call, fmt::format("no memory for a copy of {}: elements of more than {} need a copy if "
                          "they are outside segments or src is dst; put them in a segment",
                          format_size(what_.size()), format_size(buffer_size)));
  return std::make_shared<Copy>(segments, *bytes);
}

bool ReductionArrays::begin() {
  if (!round_.may_begin() || (ticket_ && !round_.team().area_queue().has_area(*ticket_)))
    return false;
  if (source_copy_ != nullptr) std::memcpy(source_copy_->data(), what_.source, what_.size());
  CollectiveSlot& slot = round_.slot(round_.me());
  slot.source = source_place_;
  slot.result = result_place_;
  return true;
}

void ReductionArrays::leave() {
  if (ticket_) round_.team().area_queue().release();
  round_.finish();
}

std::size_t ReductionArrays::offset(std::size_t piece) const {
  return piece * per_piece_ * what_.operation.width();
}

std::size_t ReductionArrays::count(std::size_t piece) const {
  return std::min(per_piece_, what_.count - piece * per_piece_);
}

std::byte* ReductionArrays::source_buffer(std::uint32_t member, std::size_t piece) const {
  return round_.team().area(member) + piece % 2 * buffer_size;
}

std::byte* ReductionArrays::result_buffer(std::uint32_t member, std::size_t piece) const {
  return round_.team().area(member) + (2 + piece % 2) * buffer_size;
}

// A member reads its own contribution from the source, because the copy for others is not in its
// caches.
const std::byte* ReductionArrays::source(std::uint32_t member, std::size_t piece) const {
  if (member == round_.me()) {
    if (!is_overwritten_) return what_.source + offset(piece);
    return stages_ ? source_buffer(member, piece) : source_copy_->data() + offset(piece);
  }
  const std::uint64_t place = round_.slot(member).source;
  return place == nowhere ? source_buffer(member, piece)
                          : round_.team().at(member, place) + offset(piece);
}

void ReductionArrays::stage(std::size_t piece) {
  if (!stages_) return;
  copy_for_others(source_buffer(round_.me(), piece), what_.source + offset(piece),
                  count(piece) * what_.operation.width());
}

std::byte* ReductionArrays::own_result(std::size_t piece) const {
  return result_copy_ != nullptr ? result_copy_->data() + offset(piece)
                                 : result_buffer(round_.me(), piece);
}

const std::byte* ReductionArrays::result(std::uint32_t member, std::size_t piece) const {
  const std::uint64_t place = round_.slot(member).result;
  return place == nowhere ? result_buffer(member, piece)
                          : round_.team().at(member, place) + offset(piece);
}

}  // namespace gondwana::staged
