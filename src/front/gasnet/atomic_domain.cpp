// Atomic domains. GASNet-EX 0.19, Remote Atomic Operations.
//
// On a node every domain is made of processor atomics on the memory itself, so its operations are
// complete when they return, and atomic also with those of other doors. They are ordered as locked
// instructions are, which is at least what GEX_FLAG_AD_ACQ and _REL ask.
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <type_traits>
#include <utility>

#include "front/gasnet/door.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet_ratomic.h"

struct gondwana_gex_atomic_domain {
  gondwana::gasnet::Team* team;
  gex_DT_t type;
  gex_OP_t operations;
  gex_Flags_t flags;
  gondwana::gasnet::ClientData data;
};

namespace gondwana::gasnet {
namespace {

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

// By operation code: the number of its bit. Null: no such operation on this type.
template <typename T>
using Function = T (*)(T& target, const Operands<T>& operands);
constexpr std::size_t operations = 25;

constexpr gex_OP_t base_of(std::size_t bit) {
  const gex_OP_t op = gex_OP_t{1} << bit;
  return op >= GEX_OP_FADD && op <= GEX_OP_FCAS ? GEX_OP_TO_NONFETCHING(op) : op;
}

template <typename T, std::size_t Bit>
constexpr Function<T> function() {
  constexpr gex_OP_t op = base_of(Bit);
  constexpr gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
  if constexpr ((op & bitwise) != 0 && std::floating_point<T>) return nullptr;
  return &apply<op, T>;
}

template <typename T, std::size_t... Bit>
constexpr std::array<Function<T>, operations> functions(std::index_sequence<Bit...> /*unused*/) {
  return {function<T, Bit>()...};
}
template <typename T>
constexpr auto table = functions<T>(std::make_index_sequence<operations>());

constexpr bool fetches(gex_OP_t opcode) {
  return opcode >= GEX_OP_FADD;
}

[[noreturn, gnu::cold]] void refuse_operation(const gondwana_gex_atomic_domain& domain,
                                              gex_OP_t opcode, CallName call) {
  give_up(call, fmt::format("operation {:#x} on type {:#x}: the domain is of type {:#x} and "
                            "operations {:#x}",
                            opcode, domain.type, domain.type, domain.operations));
}

// The word in the bound segment of the target.
template <typename T>
T& word_at(const gondwana_gex_atomic_domain& domain, gex_Rank_t rank, void* address,
           gex_Flags_t flags, CallName call) {
  const Team& team = *domain.team;
  if ((flags & GEX_FLAG_RANK_IS_JOBRANK) != 0)
    rank = gex_TM_TranslateJobrankToRank(domain.team, rank);
  const gondwana_gex_member* member = rank < team.size ? &team.members[rank] : nullptr;
  const std::uintptr_t offset =
      member != nullptr ? reinterpret_cast<std::uintptr_t>(address) - member->owner : 0;
  const bool is_plain = member != nullptr && (flags & GEX_FLAG_PEER_SEG_OFFSET) == 0 &&
                        member->size >= sizeof(T) && offset <= member->size - sizeof(T);
  std::byte* place = nullptr;
  if (is_plain) [[likely]]
    place = static_cast<std::byte*>(address) + member->delta;
  else
    place = find_peer(domain.team, rank, {address, sizeof(T)}, flags, call);
  if (reinterpret_cast<std::uintptr_t>(place) % sizeof(T) != 0)
    give_up(call, fmt::format("{} is not a multiple of the {} bytes of the type", fmt::ptr(address),
                              sizeof(T)));
  return *reinterpret_cast<T*>(place);
}

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
[[gnu::always_inline]] inline int perform(gex_AD_t domain, const Request<T>& request) {
  constexpr auto call = "gex_AD_Op";
  if ((request.opcode & domain->operations) != request.opcode || domain->type != type_bit<T>())
      [[unlikely]]
    refuse_operation(*domain, request.opcode, call);
  T& word = word_at<T>(*domain, request.rank, request.address, request.flags, call);
  if constexpr (std::integral<T>) {
    if (request.opcode == GEX_OP_FADD) [[likely]] {  // the one that is counted in nanoseconds
      *request.result = std::atomic_ref<T>(word).fetch_add(request.operands.first);
      return 0;
    }
  }
  const auto bit = static_cast<std::size_t>(std::countr_zero(request.opcode));
  const T old = table<T>[bit](word, request.operands);
  if (fetches(request.opcode)) *request.result = old;
  return 0;
}

// Programs may wait for a word that only atomics change.
template <typename T>
[[gnu::always_inline]] inline int perform_and_wake(gex_AD_t domain, const Request<T>& request) {
  perform(domain, request);
  const Team& team = *domain->team;
  team.door->attend();
  if ((request.flags & GEX_FLAG_RANK_IS_JOBRANK) != 0) [[unlikely]] {
    team.door->engine().memory().data_bell(Rank(request.rank)).ring_if_asleep();
    return 0;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const auto* asleep = const_cast<std::uint32_t*>(team.members[request.rank].asleep);
  if (__atomic_load_n(asleep, __ATOMIC_RELAXED) != 0) [[unlikely]]
    gondwana_gex_wake(domain->team, request.rank);
  return 0;
}

// What the standard defines for a type.
bool is_valid(gex_DT_t type, gex_OP_t ops) {
  constexpr gex_OP_t all = (gex_OP_t{1} << operations) - 1;
  constexpr gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
  const bool is_number = std::has_single_bit(type) && type <= GEX_DT_DBL;
  const bool is_float = (type & (GEX_DT_FLT | GEX_DT_DBL)) != 0;
  if (!is_number || ops == 0 || (ops & ~all) != 0) return false;
  return !is_float || (ops & (bitwise | GEX_OP_TO_FETCHING(bitwise))) == 0;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

// NOLINTBEGIN(readability-function-size): the standard chose the parameters

void gex_AD_Create(gex_AD_t* ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags) {
  if (!is_valid(dt, ops))
    give_up("gex_AD_Create", fmt::format("type {:#x} with operations {:#x}: not a GEX_DT_ of "
                                         "numbers with GEX_OP_ bits that it has",
                                         dt, ops));
  *ad_p = new gondwana_gex_atomic_domain{&Team::of(tm), dt, ops, flags, {}};
}

void gex_AD_Destroy(gex_AD_t ad) {
  delete ad;
}

gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad) {
  return ad->flags;
}

gex_TM_t gex_AD_QueryTM(gex_AD_t ad) {
  return ad->team;
}

gex_DT_t gex_AD_QueryDT(gex_AD_t ad) {
  return ad->type;
}

gex_OP_t gex_AD_QueryOps(gex_AD_t ad) {
  return ad->operations;
}

void gex_AD_SetCData(gex_AD_t ad, const void* val) {
  ad->data.value = val;
}

void* gex_AD_QueryCData(gex_AD_t ad) {
  return const_cast<void*>(ad->data.value);
}

gex_Event_t gex_AD_OpNB_I32(gex_AD_t ad, int32_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                            gex_OP_t opcode, int32_t operand1, int32_t operand2,
                            gex_Flags_t flags) {
  perform_and_wake<int32_t>(ad,
                            {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
  return GEX_EVENT_INVALID;
}

int gex_AD_OpNBI_I32(gex_AD_t ad, int32_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                     gex_OP_t opcode, int32_t operand1, int32_t operand2, gex_Flags_t flags) {
  return perform_and_wake<int32_t>(
      ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
}

gex_Event_t gex_AD_OpNB_U32(gex_AD_t ad, uint32_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                            gex_OP_t opcode, uint32_t operand1, uint32_t operand2,
                            gex_Flags_t flags) {
  perform_and_wake<uint32_t>(ad,
                             {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
  return GEX_EVENT_INVALID;
}

int gex_AD_OpNBI_U32(gex_AD_t ad, uint32_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                     gex_OP_t opcode, uint32_t operand1, uint32_t operand2, gex_Flags_t flags) {
  return perform_and_wake<uint32_t>(
      ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
}

gex_Event_t gex_AD_OpNB_I64(gex_AD_t ad, int64_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                            gex_OP_t opcode, int64_t operand1, int64_t operand2,
                            gex_Flags_t flags) {
  perform_and_wake<int64_t>(ad,
                            {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
  return GEX_EVENT_INVALID;
}

int gex_AD_OpNBI_I64(gex_AD_t ad, int64_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                     gex_OP_t opcode, int64_t operand1, int64_t operand2, gex_Flags_t flags) {
  return perform_and_wake<int64_t>(
      ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
}

gex_Event_t gex_AD_OpNB_U64(gex_AD_t ad, uint64_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                            gex_OP_t opcode, uint64_t operand1, uint64_t operand2,
                            gex_Flags_t flags) {
  perform_and_wake<uint64_t>(ad,
                             {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
  return GEX_EVENT_INVALID;
}

int gex_AD_OpNBI_U64(gex_AD_t ad, uint64_t* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                     gex_OP_t opcode, uint64_t operand1, uint64_t operand2, gex_Flags_t flags) {
  return perform_and_wake<uint64_t>(
      ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
}

gex_Event_t gex_AD_OpNB_FLT(gex_AD_t ad, float* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                            gex_OP_t opcode, float operand1, float operand2, gex_Flags_t flags) {
  perform_and_wake<float>(ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
  return GEX_EVENT_INVALID;
}

int gex_AD_OpNBI_FLT(gex_AD_t ad, float* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                     gex_OP_t opcode, float operand1, float operand2, gex_Flags_t flags) {
  return perform_and_wake<float>(
      ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
}

gex_Event_t gex_AD_OpNB_DBL(gex_AD_t ad, double* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                            gex_OP_t opcode, double operand1, double operand2, gex_Flags_t flags) {
  perform_and_wake<double>(ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
  return GEX_EVENT_INVALID;
}

int gex_AD_OpNBI_DBL(gex_AD_t ad, double* result_p, gex_Rank_t tgt_rank, void* tgt_addr,
                     gex_OP_t opcode, double operand1, double operand2, gex_Flags_t flags) {
  return perform_and_wake<double>(
      ad, {result_p, tgt_rank, tgt_addr, opcode, {operand1, operand2}, flags});
}

// NOLINTEND(readability-function-size)
