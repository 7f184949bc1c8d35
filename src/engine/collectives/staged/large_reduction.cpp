#include "engine/collectives/staged/large_reduction.hpp"

#include <algorithm>
#include <vector>

#include "engine/collectives/staged/copy_for_others.hpp"

namespace gondwana::staged {
namespace {

// Bytes that fit in the L1 cache while they are combined.
constexpr std::size_t near = 8192;

// Aligned for elements of any type.
struct alignas(cache_line) Line {
  std::array<std::byte, cache_line> bytes;
};

// Also wakes the other members, because the caller may not poll again.
bool every_member_shows(Round& round, std::uint64_t count) {
  if (round.every_member_shows(count)) return true;
  Round::settle();
  return round.every_member_shows(count);
}

// Calls `use` with one small range of `part` at a time.
template <typename Use>
void for_each_bit(Part part, std::size_t width, const Use& use) {
  const std::size_t most = std::max<std::size_t>(1, near / width);
  for (std::size_t done = 0; done < part.count; done += most)
    use(Part{part.begin + done, std::min(most, part.count - done)});
}

// Combines the contributions of all members into `out`.
void fold(const ReductionArrays& arrays, std::uint32_t members, std::size_t piece, Part part,
          std::byte* out) {
  const Operator& operation = arrays.what().operation;
  operation.fold(out, members, part.count, [&](std::uint32_t member) {
    return arrays.source(member, piece) + part.begin * operation.width();
  });
}

}  // namespace

bool PartsReduction::begin() {
  if (!arrays_.begin()) return false;
  arrays_.stage(0);
  arrays_.round().show(1);
  stage_ = Stage::combine;
  return true;
}

Part PartsReduction::part_of_member(std::uint32_t member) {
  return part_of(arrays_.count(piece_), arrays_.round().size(), member,
                 arrays_.what().operation.width());
}

// Combines into the dest if that exists and is not the source, then copies the result for the
// others. They never read the dest, so it stays in this member's caches.
void PartsReduction::combine() {
  const Round& round = arrays_.round();
  const std::size_t width = arrays_.what().operation.width();
  const bool aside = !arrays_.takes() || arrays_.in_place();
  std::vector<Line> scratch(aside ? std::max(near, width) / cache_line + 1 : 0);
  const Part mine = part_of_member(round.me());
  for_each_bit(mine, width, [&](Part bit) {
    const std::size_t offset = bit.begin * width;
    std::byte* dest = arrays_.takes() ? arrays_.dest(piece_) + offset : nullptr;
    std::byte* sum = aside ? scratch.data()->bytes.data() : dest;
    fold(arrays_, round.size(), piece_, bit, sum);
    copy_for_others(arrays_.own_result(piece_) + offset, sum, bit.count * width);
    if (aside && dest != nullptr) std::memcpy(dest, sum, bit.count * width);
  });
}

void PartsReduction::show_combined() {
  arrays_.round().show(2 * piece_ + 2);
  if (piece_ + 1 == arrays_.pieces()) return;
  arrays_.stage(piece_ + 1);
  arrays_.round().show(2 * piece_ + 3);
}

// Copies the parts of the others, starting with the next member, so that members read from
// different ones.
void PartsReduction::collect() {
  if (!arrays_.takes()) return;
  const Round& round = arrays_.round();
  const std::size_t width = arrays_.what().operation.width();
  for (std::uint32_t i = 1; i < round.size(); ++i) {
    const std::uint32_t member = (round.me() + i) % round.size();
    const Part part = part_of_member(member);
    const std::size_t offset = part.begin * width;
    if (part.count > 0)
      std::memcpy(arrays_.dest(piece_) + offset, arrays_.result(member, piece_) + offset,
                  part.count * width);
  }
}

bool PartsReduction::advance() {
  Round& round = arrays_.round();
  if (stage_ == Stage::begin && !begin()) return false;
  while (stage_ != Stage::end) {
    if (stage_ == Stage::combine) {
      if (!every_member_shows(round, 2 * piece_ + 1)) return false;
      combine();
      show_combined();
      stage_ = Stage::collect;
    }
    if (!every_member_shows(round, 2 * piece_ + 2)) return false;
    collect();
    stage_ = ++piece_ < arrays_.pieces() ? Stage::combine : Stage::end;
    if (stage_ == Stage::end) round.show(2 * arrays_.pieces() + 1);
  }
  if (!every_member_shows(round, 2 * arrays_.pieces() + 1))
    return false;  // all members have finished reading here
  arrays_.leave();
  return true;
}

// Other members never read the dest. If dest is source, they read a copy of the source.
void WholeReduction::combine() {
  if (!arrays_.takes()) return;
  const std::size_t width = arrays_.what().operation.width();
  for_each_bit({0, arrays_.count(piece_)}, width, [&](Part bit) {
    fold(arrays_, arrays_.round().size(), piece_, bit, arrays_.dest(piece_) + bit.begin * width);
  });
}

bool WholeReduction::advance() {
  Round& round = arrays_.round();
  if (!begun_) {
    if (!arrays_.begin()) return false;
    begun_ = true;
    arrays_.stage(0);
    round.show(1);
  }
  for (; piece_ < arrays_.pieces(); ++piece_) {
    if (!every_member_shows(round, piece_ + 1)) return false;
    combine();
    if (piece_ + 1 < arrays_.pieces()) arrays_.stage(piece_ + 1);
    round.show(piece_ + 2);
  }
  if (!every_member_shows(round, arrays_.pieces() + 1)) return false;  // all have read everything
  arrays_.leave();
  return true;
}

}  // namespace gondwana::staged
