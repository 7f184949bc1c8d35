// Atomic domains. GASNet-EX 0.19, Remote Atomic Operations.
//
// On a node every domain is made of processor atomics on the memory itself, so its operations are
// complete when they return, and atomic also with those of other doors. They are ordered as locked
// instructions are, which is at least what GEX_FLAG_AD_ACQ and _REL ask. Elsewhere it is made of
// what the wire does in the same way, or of its compare-and-swap.
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "front/gasnet/door.hpp"
#include "front/gasnet/names.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet_ratomic.h"

namespace gondwana::gasnet {
namespace {

// The first fields are what inline code of gasnet/atomics.h sees.
struct AtomicDomain : gondwana_gex_atomic_domain {
  gex_DT_t type;
  gex_OP_t operations;
  gex_Flags_t flags;
  ClientData data;

  static AtomicDomain& of(gex_AD_t handle) { return *static_cast<AtomicDomain*>(handle); }
};

constexpr CallName op_call = "gex_AD_Op";

template <typename T>
struct Operands {
  T first;
  T second;
};

template <typename T>
constexpr gex_DT_t type_bit() {
  if constexpr (std::floating_point<T>) return sizeof(T) == 4 ? GEX_DT_FLT : GEX_DT_DBL;
  if constexpr (sizeof(T) == 4) return std::signed_integral<T> ? GEX_DT_I32 : GEX_DT_U32;
  return std::signed_integral<T> ? GEX_DT_I64 : GEX_DT_U64;
}

// The value that an operation leaves, for those that are made of compare-and-exchange. Integers
// wrap around.
template <gex_OP_t Op, typename T>
T combined(T old, const Operands<T>& operands) {
  if constexpr (Op == GEX_OP_MIN) return operands.first < old ? operands.first : old;
  if constexpr (Op == GEX_OP_MAX) return operands.first > old ? operands.first : old;
  if constexpr (std::floating_point<T>) {
    if constexpr (Op == GEX_OP_ADD) return old + operands.first;
    if constexpr (Op == GEX_OP_SUB) return old - operands.first;
    if constexpr (Op == GEX_OP_MULT) return old * operands.first;
    if constexpr (Op == GEX_OP_INC) return old + 1;
    if constexpr (Op == GEX_OP_DEC) return old - 1;
  } else if constexpr (Op == GEX_OP_MULT) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(old) * static_cast<Unsigned>(operands.first));
  }
  return old;
}

template <gex_OP_t Op, typename T>
T exchange_until_done(std::atomic_ref<T> cell, const Operands<T>& operands) {
  T old = cell.load(std::memory_order_relaxed);
  while (!cell.compare_exchange_weak(old, combined<Op>(old, operands))) {
  }
  return old;
}

// A floating-point value is compared as a number by the client's eyes, as bits by the processor: of
// two zeros of different sign each stands for the other.
template <typename T>
T compare_and_swap(std::atomic_ref<T> cell, const Operands<T>& operands) {
  T expected = operands.first;
  if (cell.compare_exchange_strong(expected, operands.second)) return expected;
  if constexpr (std::floating_point<T>) {
    while (expected == operands.first)
      if (cell.compare_exchange_weak(expected, operands.second)) break;
  }
  return expected;
}

// Op without fetching; the value from before.
template <gex_OP_t Op, typename T>
T apply(T& target, const Operands<T>& operands) {
  const std::atomic_ref<T> cell(target);
  if constexpr (Op == GEX_OP_GET) return cell.load();
  if constexpr (Op == GEX_OP_SET) return cell.exchange(operands.first);
  if constexpr (Op == GEX_OP_CAS) return compare_and_swap(cell, operands);
  if constexpr (std::integral<T>) {
    if constexpr (Op == GEX_OP_ADD) return cell.fetch_add(operands.first);
    if constexpr (Op == GEX_OP_SUB) return cell.fetch_sub(operands.first);
    if constexpr (Op == GEX_OP_INC) return cell.fetch_add(1);
    if constexpr (Op == GEX_OP_DEC) return cell.fetch_sub(1);
    if constexpr (Op == GEX_OP_AND) return cell.fetch_and(operands.first);
    if constexpr (Op == GEX_OP_OR) return cell.fetch_or(operands.first);
    if constexpr (Op == GEX_OP_XOR) return cell.fetch_xor(operands.first);
  }
  return exchange_until_done<Op>(cell, operands);
}

// A value of a type in reach of nobody's loads and stores.
template <typename T>
struct RemoteWord {
  RemoteMemory& remote;
  Remote place;
  RemoteMemory::NoRoom no_room;  // of the first request; the others wait
  bool refused = false;          // there was none: what is returned means nothing

  T request(AtomicOp op, AtomicType type, T operand, T compare) {
    AtomicRequest request{op, type};
    std::memcpy(&request.operand, &operand, sizeof(T));
    std::memcpy(&request.compare, &compare, sizeof(T));
    const auto bytes =
        remote.request(place, request, op_call, std::exchange(no_room, RemoteMemory::NoRoom::wait));
    refused = !bytes;
    T old{};
    if (bytes) std::memcpy(&old, &*bytes, sizeof(T));
    return old;
  }
  T request(AtomicOp op, T operand) { return request(op, atomic_type_of<T>(), operand, operand); }
  // By their bits, whatever they mean.
  T compare_and_swap(T expected, T desired) {
    constexpr AtomicType bits = sizeof(T) == 4 ? AtomicType::uint32 : AtomicType::uint64;
    return request(AtomicOp::compare_swap, bits, desired, expected);
  }
};

template <typename T>
bool same_bits(const T& a, const T& b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

template <gex_OP_t Op, typename T>
T exchange_until_done(RemoteWord<T>& word, const Operands<T>& operands) {
  T old = word.request(AtomicOp::fetch, T{});
  while (!word.refused) {
    const T found = word.compare_and_swap(old, combined<Op>(old, operands));
    if (same_bits(found, old)) break;
    old = found;
  }
  return old;
}

// As that of memory: each of two zeros stands for the other.
template <typename T>
T compare_and_swap(RemoteWord<T>& word, const Operands<T>& operands) {
  T expected = operands.first;
  for (;;) {
    const T found = word.compare_and_swap(expected, operands.second);
    if (word.refused || same_bits(found, expected) || found != operands.first) return found;
    expected = found;
  }
}

template <typename T>
constexpr T negative(T value) {
  if constexpr (std::floating_point<T>)
    return -value;
  else
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value));
}

template <gex_OP_t Op, typename T>
T apply(RemoteWord<T>& word, const Operands<T>& operands) {
  if constexpr (Op == GEX_OP_GET) return word.request(AtomicOp::fetch, T{});
  if constexpr (Op == GEX_OP_SET) return word.request(AtomicOp::swap, operands.first);
  if constexpr (Op == GEX_OP_CAS) return compare_and_swap(word, operands);
  if constexpr (Op == GEX_OP_ADD) return word.request(AtomicOp::add, operands.first);
  if constexpr (Op == GEX_OP_SUB) return word.request(AtomicOp::add, negative(operands.first));
  if constexpr (Op == GEX_OP_INC) return word.request(AtomicOp::add, T{1});
  if constexpr (Op == GEX_OP_DEC) return word.request(AtomicOp::add, negative(T{1}));
  if constexpr (Op == GEX_OP_AND) return word.request(AtomicOp::bit_and, operands.first);
  if constexpr (Op == GEX_OP_OR) return word.request(AtomicOp::bit_or, operands.first);
  if constexpr (Op == GEX_OP_XOR) return word.request(AtomicOp::bit_xor, operands.first);
  return exchange_until_done<Op>(word, operands);
}

// By operation code: the number of its bit. Null: no such operation on this type.
template <typename T>
struct Functions {
  T (*here)(T& target, const Operands<T>& operands);
  T (*elsewhere)(RemoteWord<T>& target, const Operands<T>& operands);
};
constexpr std::size_t operations = 28;
constexpr gex_OP_t all_operations =
    GEX_OP_GET | ((GEX_OP_CAS << 1U) - 1) | GEX_OP_TO_FETCHING((GEX_OP_CAS << 1U) - 1);
static_assert(all_operations >> operations == 0);

constexpr gex_OP_t base_of(std::size_t bit) {
  const gex_OP_t op = gex_OP_t{1} << bit;
  return op >= GEX_OP_FAND && op <= GEX_OP_FCAS ? GEX_OP_TO_NONFETCHING(op) : op;
}

template <typename T, std::size_t Bit>
constexpr Functions<T> function() {
  constexpr gex_OP_t op = base_of(Bit);
  constexpr gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
  constexpr bool is_operation = (gex_OP_t{1} << Bit & all_operations) != 0;
  if constexpr (!is_operation || ((op & bitwise) != 0 && std::floating_point<T>))
    return {nullptr, nullptr};
  else
    return {&apply<op, T>, &apply<op, T>};
}

template <typename T, std::size_t... Bit>
constexpr std::array<Functions<T>, operations> functions(std::index_sequence<Bit...> /*unused*/) {
  return {function<T, Bit>()...};
}
template <typename T>
constexpr auto table = functions<T>(std::make_index_sequence<operations>());

template <typename T>
struct Request {
  T* result;
  gex_Rank_t rank;
  void* address;
  gex_OP_t opcode;
  Operands<T> operands;
  gex_Flags_t flags;
};

template <typename T>
void check(const AtomicDomain& domain, const Request<T>& request) {
  if (!std::has_single_bit(request.opcode))
    give_up(op_call, fmt::format("operation {}: a call names exactly one GEX_OP_",
                                 names_of_operations(request.opcode)));
  if ((request.opcode & domain.operations) == 0 || domain.type != type_bit<T>())
    give_up(op_call,
            fmt::format("operation {} on type {}: the domain is of type {} and "
                        "operations {}",
                        names_of_operations(request.opcode), names_of_types(type_bit<T>()),
                        names_of_types(domain.type), names_of_operations(domain.operations)));
}

// The member that a job rank stands for: that with the first endpoint of the process, wherever in
// the team it is, or else the first of the process.
gex_Rank_t member_of(const Team& team, gex_Rank_t jobrank) {
  gex_Rank_t found = GEX_RANK_INVALID;
  for (gex_Rank_t i = team.size; i-- > 0;) {
    if (team.processes[i] != jobrank) continue;
    found = i;
    if (team.indices[i] == 0) return i;
  }
  if (found == GEX_RANK_INVALID)
    give_up(op_call, fmt::format("job rank {}: it has no member in the domain's team", jobrank));
  return found;
}

// The word in the bound segment of a member.
template <typename T>
Spot word_at(gex_TM_t team, gex_Rank_t rank, const Request<T>& request) {
  const Spot place = find_peer(team, rank, {request.address, sizeof(T)}, request.flags, op_call);
  const std::size_t at =
      place.here != nullptr ? reinterpret_cast<std::uintptr_t>(place.here) : place.elsewhere.offset;
  if (at % sizeof(T) != 0)
    give_up(op_call, fmt::format("{} is not a multiple of the {} bytes of the type",
                                 fmt::ptr(request.address), sizeof(T)));
  return place;
}

// Nothing: there was no room for it.
template <typename T>
std::optional<T> apply_at(const Spot& word, const Team& team, const Request<T>& request) {
  const auto bit = static_cast<std::size_t>(std::countr_zero(request.opcode));
  if (word.here != nullptr)
    return table<T>[bit].here(*reinterpret_cast<T*>(word.here), request.operands);
  // NOLINTNEXTLINE(misc-const-correctness): the operations of the table write to it
  RemoteWord<T> there{team.door->remote(), word.elsewhere, without_room(request.flags)};
  const T old = table<T>[bit].elsewhere(there, request.operands);
  return there.refused ? std::nullopt : std::optional(old);
}

// Programs may wait for a word that only atomics change.
template <typename T>
int perform(const AtomicDomain& domain, const Request<T>& request) {
  check(domain, request);
  const Team& team = Team::of(domain.team);
  const bool by_job = (request.flags & GEX_FLAG_RANK_IS_JOBRANK) != 0;
  const gex_Rank_t rank = by_job ? member_of(team, request.rank) : request.rank;
  const std::optional<T> old = apply_at(word_at(domain.team, rank, request), team, request);
  if (!old) return 1;
  if (GONDWANA_GEX_FETCHES(request.opcode)) {
    std::byte* own = find_own(domain.team, request.result, request.flags, op_call);
    std::memcpy(own, &*old, sizeof(T));
  }
  gondwana_gex_wake(domain.team, rank);
  return 0;
}

// What the standard defines for a type.
bool is_valid(gex_DT_t type, gex_OP_t ops) {
  constexpr gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
  const bool is_number = std::has_single_bit(type) && type <= GEX_DT_DBL;
  const bool is_float = (type & (GEX_DT_FLT | GEX_DT_DBL)) != 0;
  if (!is_number || ops == 0 || (ops & ~all_operations) != 0) return false;
  return !is_float || (ops & (bitwise | GEX_OP_TO_FETCHING(bitwise))) == 0;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

// NOLINTBEGIN(readability-function-size): the standard chose the parameters

void gex_AD_Create(gex_AD_t* ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags) {
  constexpr auto call = "gex_AD_Create";
  if (!is_valid(dt, ops))
    give_up(call, fmt::format("type {} with operations {}: not a GEX_DT_ of numbers with GEX_OP_ "
                              "bits that it has",
                              names_of_types(dt), names_of_operations(ops)));
  const Team& team = Team::of(tm);
  if (team.is_pair)
    give_up(call,
            "this is a pair of endpoints (gex_TM_Pair); a domain is of a team, which "
            "gex_TM_Create makes of them");
  *ad_p = new AtomicDomain{
      {team.members, team.size, ~GONDWANA_GEX_ACCEPTED(dt, ops), tm}, dt, ops, flags, {}};
}

void gex_AD_Destroy(gex_AD_t ad) {
  delete &AtomicDomain::of(ad);
}

gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad) {
  return AtomicDomain::of(ad).flags;
}

gex_TM_t gex_AD_QueryTM(gex_AD_t ad) {
  return ad->team;
}

gex_DT_t gex_AD_QueryDT(gex_AD_t ad) {
  return AtomicDomain::of(ad).type;
}

gex_OP_t gex_AD_QueryOps(gex_AD_t ad) {
  return AtomicDomain::of(ad).operations;
}

void gex_AD_SetCData(gex_AD_t ad, const void* val) {
  AtomicDomain::of(ad).data.value = val;
}

void* gex_AD_QueryCData(gex_AD_t ad) {
  return const_cast<void*>(AtomicDomain::of(ad).data.value);
}

int gondwana_gex_call_atomic32(gex_AD_t ad, gex_DT_t type, uint32_t* result, gex_Rank_t rank,
                               void* address, gex_OP_t opcode, uint32_t operand1, uint32_t operand2,
                               gex_Flags_t flags) {
  if (type == GEX_DT_U32)
    return perform<uint32_t>(AtomicDomain::of(ad),
                             {result, rank, address, opcode, {operand1, operand2}, flags});
  return perform<int32_t>(AtomicDomain::of(ad),
                          {reinterpret_cast<int32_t*>(result),
                           rank,
                           address,
                           opcode,
                           {static_cast<int32_t>(operand1), static_cast<int32_t>(operand2)},
                           flags});
}

int gondwana_gex_call_atomic64(gex_AD_t ad, gex_DT_t type, uint64_t* result, gex_Rank_t rank,
                               void* address, gex_OP_t opcode, uint64_t operand1, uint64_t operand2,
                               gex_Flags_t flags) {
  if (type == GEX_DT_U64)
    return perform<uint64_t>(AtomicDomain::of(ad),
                             {result, rank, address, opcode, {operand1, operand2}, flags});
  return perform<int64_t>(AtomicDomain::of(ad),
                          {reinterpret_cast<int64_t*>(result),
                           rank,
                           address,
                           opcode,
                           {static_cast<int64_t>(operand1), static_cast<int64_t>(operand2)},
                           flags});
}

int gondwana_gex_atomic_float(gex_AD_t ad, gex_DT_t /*type*/, float* result, gex_Rank_t rank,
                              void* address, gex_OP_t opcode, float operand1, float operand2,
                              gex_Flags_t flags) {
  return perform<float>(AtomicDomain::of(ad),
                        {result, rank, address, opcode, {operand1, operand2}, flags});
}

int gondwana_gex_atomic_double(gex_AD_t ad, gex_DT_t /*type*/, double* result, gex_Rank_t rank,
                               void* address, gex_OP_t opcode, double operand1, double operand2,
                               gex_Flags_t flags) {
  return perform<double>(AtomicDomain::of(ad),
                         {result, rank, address, opcode, {operand1, operand2}, flags});
}

// NOLINTEND(readability-function-size)
