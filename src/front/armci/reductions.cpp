#include "front/armci/reductions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "front/armci/groups.hpp"
#include "front/armci/scopes.hpp"
#include "operations/combine.hpp"

namespace gondwana::armci {
namespace {

// The absolute value. The smallest integer has none, and stays as it is.
template <typename T>
T magnitude(T value) {
  if constexpr (std::is_integral_v<T>)
    return value < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value)) : value;
  else
    return std::abs(value);
}

// The value with the larger or the smaller absolute value.
template <bool Largest, typename T>
void combine_by_distance(void* out, const void* a, const void* b, std::size_t count) {
  auto* result = static_cast<T*>(out);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    const T one = magnitude(left[i]);
    const T other = magnitude(right[i]);
    result[i] = Largest ? std::max(one, other) : std::min(one, other);
  }
}

template <bool All, typename T>
void combine_logically(void* out, const void* a, const void* b, std::size_t count) {
  auto* result = static_cast<T*>(out);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    const bool one = left[i] != 0;
    const bool other = right[i] != 0;
    result[i] = (All ? one && other : one || other) ? 1 : 0;
  }
}

struct Operation {
  std::string_view name;
  ElementType element;
};

template <typename T>
constexpr std::array numeric_operations{
    Operation{"+", element_type<CombineOp::sum, T>},
    Operation{"*", element_type<CombineOp::prod, T>},
    Operation{"max", element_type<CombineOp::max, T>},
    Operation{"min", element_type<CombineOp::min, T>},
    Operation{"absmax", {sizeof(T), &combine_by_distance<true, T>}},
    Operation{"absmin", {sizeof(T), &combine_by_distance<false, T>}}};
template <typename T>
constexpr std::array integer_operations{Operation{"or", element_type<CombineOp::bit_or, T>},
                                        Operation{"&&", {sizeof(T), &combine_logically<true, T>}},
                                        Operation{"land", {sizeof(T), &combine_logically<true, T>}},
                                        Operation{"||", {sizeof(T), &combine_logically<false, T>}},
                                        Operation{"lor", {sizeof(T), &combine_logically<false, T>}},
                                        Operation{"&", element_type<CombineOp::bit_and, T>},
                                        Operation{"band", element_type<CombineOp::bit_and, T>},
                                        Operation{"|", element_type<CombineOp::bit_or, T>},
                                        Operation{"bor", element_type<CombineOp::bit_or, T>}};

// Fortran programs pass names followed by blanks or without a terminator, so only the start of `op`
// is compared.
template <typename T>
ElementType element_of(CallName call, std::string_view op) {
  const auto is_meant = [op](const Operation& each) { return op.starts_with(each.name); };
  const auto& numeric = numeric_operations<T>;
  if (const auto found = std::ranges::find_if(numeric, is_meant); found != numeric.end())
    return found->element;
  if constexpr (std::is_integral_v<T>) {
    const auto& integer = integer_operations<T>;
    if (const auto found = std::ranges::find_if(integer, is_meant); found != integer.end())
      return found->element;
  }
  give_up(call, fmt::format("operator \"{}\": expected +, *, max, min, absmax or absmin, and for "
                            "integers or, &&, ||, & or |",
                            op));
}

ElementType element_of(CallName call, int type, std::string_view op) {
  switch (type) {
    case ARMCI_INT:
      return element_of<int>(call, op);
    case ARMCI_LONG:
      return element_of<long>(call, op);
    case ARMCI_LONG_LONG:
      return element_of<long long>(call, op);
    case ARMCI_FLOAT:
      return element_of<float>(call, op);
    case ARMCI_DOUBLE:
      return element_of<double>(call, op);
    default:
      give_up(call,
              fmt::format("type {}: expected ARMCI_INT, LONG, LONG_LONG, FLOAT or DOUBLE", type));
  }
}

void combine_all(CallName call, Group& group, void* x, int n, std::string_view op, int type) {
  const std::size_t count = checked_count(call, n);
  const ElementType element = element_of(call, type, op);
  group.compare(call, fmt::format("{} elements of {} bytes, operator {}", count, element.size,
                                  op.substr(0, op.find(' '))));
  // Even without a second operand, some operations change the first: absmax, &&.
  const bool is_changed = !op.starts_with('+') && !op.starts_with('*');
  if (group.size() > 1) return group.reduce(call, x, count, element);
  if (!is_changed) return;
  const OnHost on_host(group.door().memory(), call,
                       {static_cast<std::byte*>(x), count * element.size}, OnHost::Use::changed);
  void* terms = on_host.bytes().data();
  element.combine(terms, terms, terms, count);
}

// Whether to select the value of this record.
template <typename T>
bool is_better(const std::byte* one, const std::byte* other, bool largest) {
  T a;
  T b;
  std::memcpy(&a, one, sizeof(T));
  std::memcpy(&b, other, sizeof(T));
  return largest ? a > b : a < b;
}
bool is_better(const std::byte* one, const std::byte* other, int type, bool largest) {
  switch (type) {
    case ARMCI_INT:
      return is_better<int>(one, other, largest);
    case ARMCI_LONG:
      return is_better<long>(one, other, largest);
    case ARMCI_LONG_LONG:
      return is_better<long long>(one, other, largest);
    case ARMCI_FLOAT:
      return is_better<float>(one, other, largest);
    default:
      return is_better<double>(one, other, largest);
  }
}

}  // namespace

void combine(CallName call, int scope, void* x, int n, std::string_view op, int type) {
  const Entry here(call);
  if (Group* group = scope_of(call, *here, scope)) combine_all(call, *group, x, n, op, type);
}

void combine_in_group(CallName call, void* x, int n, std::string_view op, int type,
                      const ARMCI_Group* group) {
  combine_all(call, member_group(Entry(call), group), x, n, op, type);
}

// Each record is exchanged with a preceding byte that says whether it counts.
void select(CallName call, int scope, void* x, int n, std::string_view op, int type, int counts) {
  const Entry here(call);
  Group* group = scope_of(call, *here, scope);
  if (group == nullptr) return;
  const bool largest = op.starts_with("max");
  if (!largest && !op.starts_with("min"))
    give_up(call, fmt::format("operator \"{}\": expected min or max", op));
  const std::size_t size = checked_count(call, n);
  if (const std::size_t number = element_of(call, type, op).size; size < number)
    give_up(call,
            fmt::format("a record of {} bytes is too small: it begins with a number of {} bytes",
                        size, number));
  constexpr std::size_t head = sizeof(std::uint64_t);
  std::vector<std::byte> mine(head + size);
  mine[0] = static_cast<std::byte>(counts != 0 ? 1 : 0);
  here->memory().copy(call, mine.data() + head, x, size);
  std::vector<std::byte> all(group->size() * mine.size());
  group->gather(call, mine, all);
  const std::byte* best = nullptr;
  for (std::uint32_t i = 0; i < group->size(); ++i) {
    const std::byte* record = all.data() + i * mine.size();
    if (record[0] == std::byte{0}) continue;
    if (best == nullptr || is_better(record + head, best, type, largest)) best = record + head;
  }
  if (best != nullptr) here->memory().copy(call, x, best, size);
}

}  // namespace gondwana::armci
