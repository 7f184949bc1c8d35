#include "front/gasnet/vis_far.hpp"

namespace gondwana::gasnet {
namespace {

// So many bytes are begun together: of more messages than one, so that these are full.
constexpr std::size_t begun_together = 256 * 1024;

// Goes through the runs of a transfer, in its order.
class Runs {
 public:
  explicit Runs(const strided::Transfer& transfer)
      : dimensions_(transfer.dimensions()),
        target_(transfer.offset(strided::End::target)),
        source_(transfer.offset(strided::End::source)) {}

  std::ptrdiff_t offset(strided::End end) const {
    return end == strided::End::target ? target_ : source_;
  }

  // False: there is no other one.
  bool advance() {
    for (std::size_t i = 1; i < dimensions_.size(); ++i) {
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

void FarPieces::move(std::size_t place, MutableBytes ours) {
  if (!joins_last(place, ours)) {
    if (bytes_ >= begun_together || told_.size() >= most_pieces) begin();
    told_.push_back({.size = ours.size(), .count = 1, .there = place, .here = ours.data()});
  }
  bytes_ += ours.size();
}

// Pieces at equal steps are told together.
bool FarPieces::joins_last(std::size_t place, MutableBytes ours) {
  if (told_.empty() || told_.back().size != ours.size()) return false;
  Pieces& last = told_.back();
  const auto distance = static_cast<std::ptrdiff_t>(last.count) - 1;
  const auto there_step =
      static_cast<std::ptrdiff_t>(place - last.there) - distance * last.there_step;
  const std::ptrdiff_t here_step = ours.data() - last.here - distance * last.here_step;
  if (last.count > 1 && (there_step != last.there_step || here_step != last.here_step))
    return false;
  last.there_step = there_step;
  last.here_step = here_step;
  ++last.count;
  return true;
}

void FarPieces::begin() {
  if (side_ == strided::End::target)
    far_.begin_put(batch_, rank_, told_, call_);
  else
    far_.begin_get(batch_, rank_, told_, call_);
  told_.clear();
  bytes_ = 0;
}

void FarPieces::wait() {
  begin();
  far_.wait(batch_, call_);
}

void move_section(FarPieces& pieces, const strided::Transfer& transfer, std::size_t place,
                  std::byte* ours) {
  const strided::End own_side =
      pieces.side() == strided::End::target ? strided::End::source : strided::End::target;
  Runs runs(transfer);
  do {
    pieces.move(place + static_cast<std::size_t>(runs.offset(pieces.side())),
                {ours + runs.offset(own_side), transfer.run()});
  } while (runs.advance());
}

}  // namespace gondwana::gasnet
