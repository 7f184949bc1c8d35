// How two terms of a reduction are combined: by an operation of the library or of the client.
#pragma once

#include <cstring>

#include "engine/engine.hpp"
#include "gasnet_coll.h"

namespace gondwana::gasnet {

// What a client says: GASNet-EX 0.19, Collectives Part III.
struct ClientOperator {
  gex_DT_t type;
  std::size_t width;  // bytes of an element
  gex_OP_t operation;
  gex_Coll_ReduceFn_t function;
  void* data;
};

class Operator {
 public:
  static Result<Operator> find(const ClientOperator& client);

  std::size_t width() const { return width_; }
  bool may_replace_term() const { return combine_ != nullptr; }

  // Combines `terms` arrays, term(0), term(1), ... in this order, from the right. `out` is none of
  // them; of two it may be either, if it may_replace_term().
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
  Operator(std::size_t width, Combine combine) : width_(width), combine_(combine) {}
  Operator(std::size_t width, gex_Coll_ReduceFn_t function, void* data)
      : width_(width), function_(function), data_(data) {}

  void apply(const std::byte* left, std::byte* right_and_out, std::size_t count) const {
    if (combine_ != nullptr)
      combine_(right_and_out, left, right_and_out, count);
    else
      function_(left, right_and_out, count, data_);
  }

  std::size_t width_;
  Combine combine_ = nullptr;  // null: the client's function
  gex_Coll_ReduceFn_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace gondwana::gasnet
