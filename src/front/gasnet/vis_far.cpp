#include "front/gasnet/vis_far.hpp"

namespace gondwana::gasnet {
namespace {

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

void move_section(FarPieces& pieces, const strided::Transfer& transfer, std::size_t place,
                  std::byte* ours) {
  const strided::End own_side =
      pieces.side == strided::End::target ? strided::End::source : strided::End::target;
  Runs runs(transfer);
  do {
    pieces.move(place + static_cast<std::size_t>(runs.offset(pieces.side)),
                {ours + runs.offset(own_side), transfer.run()});
  } while (runs.advance());
}

}  // namespace gondwana::gasnet
