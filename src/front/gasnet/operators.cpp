#include "front/gasnet/operators.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "front/gasnet/names.hpp"
#include "operations/combine.hpp"

namespace gondwana::gasnet {
namespace {

template <typename T>
Combine combine_for(gex_OP_t operation) {
  switch (operation) {
    case GEX_OP_ADD:
      return &combine<CombineOp::sum, T>;
    case GEX_OP_MULT:
      return &combine<CombineOp::prod, T>;
    case GEX_OP_MIN:
      return &combine<CombineOp::min, T>;
    case GEX_OP_MAX:
      return &combine<CombineOp::max, T>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == GEX_OP_AND) return &combine<CombineOp::bit_and, T>;
    if (operation == GEX_OP_OR) return &combine<CombineOp::bit_or, T>;
    if (operation == GEX_OP_XOR) return &combine<CombineOp::bit_xor, T>;
  }
  return nullptr;
}

struct BuiltIn {
  std::size_t width;
  Combine combine;  // null: no such operation
};

BuiltIn find_built_in(gex_DT_t type, gex_OP_t operation) {
  switch (type) {
    case GEX_DT_I32:
      return {4, combine_for<std::int32_t>(operation)};
    case GEX_DT_U32:
      return {4, combine_for<std::uint32_t>(operation)};
    case GEX_DT_I64:
      return {8, combine_for<std::int64_t>(operation)};
    case GEX_DT_U64:
      return {8, combine_for<std::uint64_t>(operation)};
    case GEX_DT_FLT:
      return {4, combine_for<float>(operation)};
    case GEX_DT_DBL:
      return {8, combine_for<double>(operation)};
    default:
      return {0, nullptr};
  }
}

Error refused(const std::string& why) {
  return {Errc::invalid_argument, why};
}

}  // namespace

Result<staged::Operator> find_operator(const ClientOperator& client) {
  const BuiltIn built_in = find_built_in(client.type, client.operation);
  if (built_in.width == 0 && client.type != GEX_DT_USER)
    return refused(fmt::format("dt {} is not a reduction data type", names_of_types(client.type)));
  if (client.width == 0 || (built_in.width != 0 && client.width != built_in.width))
    return refused(fmt::format(
        "dt_sz is {}, but an element of dt {} has {}", client.width, names_of_types(client.type),
        built_in.width == 0 ? "1 byte or more" : fmt::format("{} bytes", built_in.width)));
  if (client.operation == GEX_OP_USER || client.operation == GEX_OP_USER_NC) {
    if (client.function == nullptr) return refused("op is GEX_OP_USER, but user_op is null");
    return staged::Operator(client.width, client.function, client.data,
                            client.operation == GEX_OP_USER ? staged::Operator::Order::any
                                                            : staged::Operator::Order::of_members);
  }
  if (built_in.combine == nullptr)
    return refused(fmt::format("op {} is not a reduction of dt {}",
                               names_of_operations(client.operation), names_of_types(client.type)));
  return staged::Operator({client.width, built_in.combine});
}

}  // namespace gondwana::gasnet
