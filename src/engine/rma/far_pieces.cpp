#include "engine/rma/far_pieces.hpp"

#include <algorithm>
#include <array>

namespace gondwana {
namespace {

// Bytes that are started together. They fill several messages, so that most messages are full.
constexpr std::size_t begun_together = 256 * 1024;

// Iterates over the runs of a transfer, in order. A run contains all pieces along dimension 1.
class Runs {
 public:
  explicit Runs(const strided::Transfer& transfer)
      : dimensions_(transfer.dimensions()),
        target_(transfer.offset(strided::End::target)),
        source_(transfer.offset(strided::End::source)) {}

  std::ptrdiff_t offset(strided::End end) const {
    return end == strided::End::target ? target_ : source_;
  }

  // False: this was the last run.
  bool advance() {
    for (std::size_t i = 2; i < dimensions_.size(); ++i) {
      const strided::Dimension& dimension = dimensions_[i];
      step(dimension, 1);
      if (++at_[i] < dimension.extent) return true;
      step(dimension, -static_cast<std::ptrdiff_t>(dimension.extent));
      at_[i] = 0;
    }
    return false;
  }

 private:
  void step(const strided::Dimension& dimension, std::ptrdiff_t count) {
    target_ += count * dimension.target;
    source_ += count * dimension.source;
  }

  std::span<const strided::Dimension> dimensions_;
  std::array<std::size_t, strided::Transfer::max_dimensions + 1> at_{};
  std::ptrdiff_t target_;
  std::ptrdiff_t source_;
};

}  // namespace

void FarPieces::move(const StridedRun& run) {
  if (begun_ != RemoteAccess::Begun::pending) return;
  if (told_.empty() || !join(told_.back(), run)) {
    if (bytes_ >= begun_together || told_.size() >= max_runs) begin();
    told_.push_back(run);
  }
  bytes_ += run.bytes();
}

bool join(StridedRun& last, const StridedRun& run) {
  if (last.size != run.size) return false;
  const auto there = static_cast<std::ptrdiff_t>(run.there - last.there);
  const std::ptrdiff_t here = run.here - last.here;
  const auto count = static_cast<std::ptrdiff_t>(last.count);
  if (last.count > 1 && (there != count * last.there_stride || here != count * last.here_stride))
    return false;
  if (run.count > 1 && (run.there_stride != there / count || run.here_stride != here / count))
    return false;
  last.there_stride = there / count;
  last.here_stride = here / count;
  last.count += run.count;
  return true;
}

void FarPieces::begin() {
  if (begun_ != RemoteAccess::Begun::pending || told_.empty()) return;
  begun_ = begin_told();
  no_room_ = RemoteAccess::NoRoom::wait;
  told_.clear();
  bytes_ = 0;
}

RemoteAccess::Begun FarPieces::begin_told() {
  if (side_ == strided::End::source) return remote_.begin_get(lane_, rank_, told_, done_, no_room_);
  const auto is_packed = [this](const StridedRun& each) { return remote_.packs(each.size); };
  const bool are_copied = need_not_arrive_ && std::ranges::all_of(told_, is_packed);
  return remote_.begin_put(lane_, rank_, told_, are_copied ? lane_.posted().pending() : done_,
                           no_room_);
}

RemoteAccess::Begun FarPieces::finish(CallName call) {
  begin();
  return remote_.complete(lane_, done_, call) ? begun_ : RemoteAccess::Begun::failed;
}

void for_each_run(const strided::Transfer& transfer, strided::End side, std::uint64_t place,
                  std::byte* ours, FunctionRef<void(const StridedRun&)> use) {
  const bool puts = side == strided::End::target;
  const strided::End own_side = puts ? strided::End::source : strided::End::target;
  StridedRun run{.size = transfer.piece(), .count = 1};
  if (const auto dimensions = transfer.dimensions(); dimensions.size() > 1) {
    const strided::Dimension& along = dimensions[1];
    run.count = along.extent;
    run.there_stride = puts ? along.target : along.source;
    run.here_stride = puts ? along.source : along.target;
  }
  Runs runs(transfer);
  do {
    run.there = place + static_cast<std::uint64_t>(runs.offset(side));
    run.here = ours + runs.offset(own_side);
    use(run);
  } while (runs.advance());
}

}  // namespace gondwana
