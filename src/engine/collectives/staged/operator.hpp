// How two contributions to a reduction are combined: by an operation of the library or of the
// program.
#pragma once

#include <cstdint>
#include <cstring>

#include "operations/element_type.hpp"

namespace gondwana::staged {

class Operator {
 public:
  // Combines `count` elements of `left` and `right_and_out`, and stores them in the latter.
  using Function = void (*)(const void* left, void* right_and_out, std::size_t count,
                            const void* data);

  // Operations are associative. With `any` they are commutative too, or the members of each node
  // are adjacent in the team.
  enum class Order : std::uint8_t { any, of_members };
  explicit Operator(const ElementType& type, Order order = Order::any)
      : width_(type.size), combine_(type.combine), order_(order) {}
  // `width`: bytes of an element. `data` is passed to the function.
  Operator(std::size_t width, Function function, const void* data, Order order)
      : width_(width), function_(function), data_(data), order_(order) {}

  std::size_t width() const { return width_; }
  bool keeps_order() const { return order_ == Order::of_members; }
  bool may_replace_term() const { return combine_ != nullptr; }

  // Combines `terms` arrays, term(0), term(1), ... in this order, from the right. `out` must be
  // none of them. With two of them it may be either, if may_replace_term() holds.
  template <typename Term>
  void fold(std::byte* out, std::uint32_t terms, std::size_t count, const Term& term) const {
    std::uint32_t next = terms - 1;
    if (combine_ != nullptr && next > 0) {
      combine_(out, term(next - 1), term(next), count);
      --next;
    } else {
      std::memcpy(out, term(next), count * width_);
    }
    while (next > 0) apply(term(--next), out, count);
  }

 private:
  void apply(const std::byte* left, std::byte* right_and_out, std::size_t count) const {
    if (combine_ != nullptr)
      combine_(right_and_out, left, right_and_out, count);
    else
      function_(left, right_and_out, count, data_);
  }

  std::size_t width_;
  Combine combine_ = nullptr;  // null: the program's function
  Function function_ = nullptr;
  const void* data_ = nullptr;
  Order order_ = Order::any;
};

}  // namespace gondwana::staged
