// The operators of reductions: operations of the library or functions of the client.
#pragma once

#include "core/result.hpp"
#include "engine/collectives/staged/operator.hpp"
#include "gasnet_coll.h"

namespace gondwana::gasnet {

// The operator arguments of a call. GASNet-EX 0.19, Collectives Part III.
struct ClientOperator {
  gex_DT_t type;
  std::size_t width;  // bytes of one element
  gex_OP_t operation;
  gex_Coll_ReduceFn_t function;
  void* data;
};

Result<staged::Operator> find_operator(const ClientOperator& client);

}  // namespace gondwana::gasnet
