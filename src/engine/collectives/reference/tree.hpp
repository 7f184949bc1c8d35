// A binomial tree over the members of a group, with any of them as its root.
//
// A member at distance v from the root has as its parent v without its lowest bit. Its child k is v
// + 2^k, for every 2^k below that bit. Child k covers the 2^k members from there on. So a parent
// that combines its children in their order combines neighbours.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/collectives/reference/group.hpp"

namespace gondwana {

class BinomialTree {
 public:
  BinomialTree(const Group& group, std::uint32_t root)
      : size_(group.size()), root_(root), place_((group.me() + size_ - root) % size_) {
    while (is_child(children_)) ++children_;
  }

  bool is_root() const { return place_ == 0; }
  std::uint32_t parent() const { return member_at(place_ & (place_ - 1)); }
  // The index of this member among its parent's children.
  std::uint32_t position() const { return static_cast<std::uint32_t>(std::countr_zero(place_)); }

  std::uint32_t children() const { return children_; }
  std::uint32_t child(std::uint32_t k) const { return member_at(place_ + (1U << k)); }

 private:
  bool is_child(std::uint32_t k) const {
    if (k >= Group::max_rounds) return false;
    const std::uint32_t step = 1U << k;
    return place_ + step < size_ && (is_root() || k < position());
  }
  std::uint32_t member_at(std::uint32_t place) const { return (place + root_) % size_; }

  std::uint32_t size_;
  std::uint32_t root_;
  std::uint32_t place_;
  std::uint32_t children_ = 0;
};

}  // namespace gondwana
