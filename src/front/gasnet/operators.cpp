#include "front/gasnet/operators.hpp"

#include <fmt/format.h>

#include <bit>
#include <type_traits>

namespace gondwana::gasnet {
namespace {

// Integers wrap around, whatever their sign.
template <gex_OP_t Op, typename T>
constexpr T combined(T a, T b) {
  if constexpr (Op == GEX_OP_MIN) return a < b ? a : b;
  if constexpr (Op == GEX_OP_MAX) return a > b ? a : b;
  if constexpr (Op == GEX_OP_ADD || Op == GEX_OP_MULT) {
    if constexpr (std::is_integral_v<T>) {
      using Wrapping = std::make_unsigned_t<T>;
      const auto left = static_cast<Wrapping>(a);
      const auto right = static_cast<Wrapping>(b);
      return static_cast<T>(Op == GEX_OP_ADD ? left + right : left * right);
    } else {
      return Op == GEX_OP_ADD ? a + b : a * b;
    }
  }
  if constexpr (Op == GEX_OP_AND) return a & b;
  if constexpr (Op == GEX_OP_OR) return a | b;
  if constexpr (Op == GEX_OP_XOR) return a ^ b;
}

// `out` may be `a` or `b`.
template <gex_OP_t Op, typename T>
void combine(void* out, const void* a, const void* b, std::size_t count) {
  auto* result = static_cast<T*>(out);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) result[i] = combined<Op>(left[i], right[i]);
}

template <typename T>
Combine combine_for(gex_OP_t operation) {
  switch (operation) {
    case GEX_OP_ADD:
      return &combine<GEX_OP_ADD, T>;
    case GEX_OP_MULT:
      return &combine<GEX_OP_MULT, T>;
    case GEX_OP_MIN:
      return &combine<GEX_OP_MIN, T>;
    case GEX_OP_MAX:
      return &combine<GEX_OP_MAX, T>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == GEX_OP_AND) return &combine<GEX_OP_AND, T>;
    if (operation == GEX_OP_OR) return &combine<GEX_OP_OR, T>;
    if (operation == GEX_OP_XOR) return &combine<GEX_OP_XOR, T>;
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
    return refused(fmt::format("dt {:#x} is not a data type of reductions", client.type));
  if (client.width == 0 || (built_in.width != 0 && client.width != built_in.width))
    return refused(fmt::format(
        "dt_sz is {}, but an element of dt {:#x} has {}", client.width, client.type,
        built_in.width == 0 ? "1 byte or more" : fmt::format("{} bytes", built_in.width)));
  if (client.operation == GEX_OP_USER || client.operation == GEX_OP_USER_NC) {
    if (client.function == nullptr) return refused("op is GEX_OP_USER, but user_op is null");
    return staged::Operator(client.width, client.function, client.data,
                            client.operation == GEX_OP_USER ? staged::Operator::Order::any
                                                            : staged::Operator::Order::of_members);
  }
  if (built_in.combine == nullptr)
    return refused(
        fmt::format("op {:#x} is not a reduction of dt {:#x}", client.operation, client.type));
  return staged::Operator({client.width, built_in.combine});
}

}  // namespace gondwana::gasnet
