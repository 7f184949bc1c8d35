// The ranks of a node, each in a slot of the node's memory. Their numbers are consecutive. Only
// this file depends on that, and engine/rma/reach.hpp, for speed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace gondwana {

class NodeRanks {
 public:
  static constexpr std::uint32_t layout_version = 1;  // see core/fingerprint.hpp

  class Iterator {
   public:
    using value_type = Rank;
    using difference_type = std::ptrdiff_t;

    constexpr Iterator() = default;
    explicit constexpr Iterator(std::uint32_t rank) : rank_(rank) {}
    constexpr Rank operator*() const { return Rank(rank_); }
    constexpr Iterator& operator++() {
      ++rank_;
      return *this;
    }
    constexpr Iterator operator++(int) { return Iterator(rank_++); }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t rank_ = 0;
  };

  constexpr NodeRanks() = default;
  constexpr NodeRanks(std::uint32_t first, std::uint32_t size) : first_(first), size_(size) {}

  constexpr std::uint32_t size() const { return size_; }
  constexpr Rank operator[](std::uint32_t slot) const { return Rank(first_ + slot); }
  constexpr Rank front() const { return Rank(first_); }
  constexpr Rank back() const { return (*this)[size_ - 1]; }
  constexpr bool holds(Rank rank) const { return slot_of(rank) < size_; }
  // The slot of a rank. For a rank of another node: at least size(), no slot.
  constexpr std::uint32_t slot_of(Rank rank) const { return index(rank) - first_; }
  constexpr bool meets(const NodeRanks& other) const {
    return holds(other.front()) || other.holds(front());
  }
  // Whether all of them are below `ranks`, the job's size.
  constexpr bool are_among(std::uint32_t job_ranks) const {
    return first_ <= job_ranks && size_ <= job_ranks - first_;
  }

  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(first_ + size_); }

 private:
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace gondwana
