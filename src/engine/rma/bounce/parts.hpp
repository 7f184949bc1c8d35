// The pieces of a transfer, cut into parts that fit into a chunk of host memory.
#pragma once

#include <algorithm>

#include "operations/strided_run.hpp"

namespace gondwana::bounce {

// Cuts parts off the front of the pieces.
class Parts {
 public:
  explicit Parts(const StridedRun& pieces) : left_(joined(pieces)) {}

  bool is_empty() const { return left_.count == 0; }
  // A part of at most `most` bytes.
  StridedRun next(std::size_t most) {
    StridedRun part = left_;
    if (at_ > 0 || left_.size > most) return part_of_piece(part, most);
    part.count = std::min(left_.count, most / left_.size);
    skip(part.count);
    return part;
  }

 private:
  // Merges pieces that are adjacent on both sides into one.
  static StridedRun joined(StridedRun pieces) {
    const auto size = static_cast<std::ptrdiff_t>(pieces.size);
    if (pieces.count < 2 || pieces.there_stride != size || pieces.here_stride != size)
      return pieces;
    pieces.size *= pieces.count;
    pieces.count = 1;
    return pieces;
  }
  // A piece longer than a chunk is cut into several parts.
  StridedRun part_of_piece(StridedRun part, std::size_t most) {
    part.size = std::min(most, left_.size - at_);
    part.count = 1;
    part.there += at_;
    part.here += at_;
    at_ += part.size;
    if (at_ == left_.size) {
      at_ = 0;
      skip(1);
    }
    return part;
  }
  void skip(std::size_t count) {
    const auto before = static_cast<std::ptrdiff_t>(count);
    left_.count -= count;
    left_.there += static_cast<std::uint64_t>(before * left_.there_stride);
    left_.here += before * left_.here_stride;
  }

  StridedRun left_;
  std::size_t at_ = 0;  // bytes of the first piece already taken
};

}  // namespace gondwana::bounce
