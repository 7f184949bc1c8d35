// Atomic domains. GASNet-EX 0.19, Remote Atomic Operations.
//
// On a node, operations are processor atomics on the memory itself. They are complete when they
// return, and atomic with the operations of other doors. They have the order of locked
// instructions, which is at least what GEX_FLAG_AD_ACQ and _REL ask. Across nodes, operations are
// atomics of the network, or loops around its compare-and-swap.
#include <bit>
#include <concepts>
#include <cstring>
#include <optional>

#include "front/gasnet/atomic_functions.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/names.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet_ratomic.h"

namespace gondwana::gasnet {
namespace {

using atomics::op_call;

// Inline code of gasnet/atomics.h sees the fields of the base.
struct AtomicDomain : gondwana_gex_atomic_domain {
  gex_DT_t type;
  gex_OP_t operations;
  gex_Flags_t flags;
  ClientData data;

  static AtomicDomain& of(gex_AD_t handle) { return *static_cast<AtomicDomain*>(handle); }
};

template <typename T>
constexpr gex_DT_t type_bit() {
  if constexpr (std::floating_point<T>) return sizeof(T) == 4 ? GEX_DT_FLT : GEX_DT_DBL;
  if constexpr (sizeof(T) == 4) return std::signed_integral<T> ? GEX_DT_I32 : GEX_DT_U32;
  return std::signed_integral<T> ? GEX_DT_I64 : GEX_DT_U64;
}

template <typename T>
struct Request {
  T* result;
  gex_Rank_t rank;
  void* address;
  gex_OP_t opcode;
  atomics::Operands<T> operands;
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

// The member that represents a job rank: the one with the first endpoint of the process, or else
// the first member of the process.
gex_Rank_t member_of(const Team& team, gex_Rank_t jobrank) {
  gex_Rank_t found = GEX_RANK_INVALID;
  for (gex_Rank_t i = team.size; i-- > 0;) {
    if (team.processes[i] != jobrank) continue;
    found = i;
    if (team.indices[i] == 0) return i;
  }
  if (found == GEX_RANK_INVALID)
    give_up(op_call, fmt::format("job rank {}: the domain's team has no member there", jobrank));
  return found;
}

// Finds the word in the bound segment of a member.
template <typename T>
PeerAddress word_at(gex_TM_t team, gex_Rank_t rank, const Request<T>& request) {
  const PeerAddress place =
      find_peer(team, rank, {request.address, sizeof(T)}, request.flags, op_call);
  const std::size_t at =
      place.here != nullptr ? reinterpret_cast<std::uintptr_t>(place.here) : place.elsewhere.offset;
  if (at % sizeof(T) != 0)
    give_up(op_call, fmt::format("{} is not a multiple of the {} bytes of the type",
                                 fmt::ptr(request.address), sizeof(T)));
  return place;
}

// Empty: the queue was full.
template <typename T>
std::optional<T> apply_at(const PeerAddress& word, const Team& team, const Request<T>& request) {
  const auto bit = static_cast<std::size_t>(std::countr_zero(request.opcode));
  if (word.here != nullptr)
    return atomics::table<T>[bit].here(*reinterpret_cast<T*>(word.here), request.operands);
  // NOLINTNEXTLINE(misc-const-correctness): the operations of the table write to it
  atomics::RemoteWord<T> there{team.door->remote(), word.elsewhere, without_room(request.flags)};
  const T old = atomics::table<T>[bit].elsewhere(there, request.operands);
  return there.refused ? std::nullopt : std::optional(old);
}

// Wakes the target: it may be waiting for a word that only atomics change.
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
    team.door->devices().copy(op_call, own, &*old, sizeof(T));
  }
  gondwana_gex_wake(domain.team, rank);
  return 0;
}

// Whether the standard defines the operations for the type.
bool is_valid(gex_DT_t type, gex_OP_t ops) {
  constexpr gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
  const bool is_number = std::has_single_bit(type) && type <= GEX_DT_DBL;
  const bool is_float = (type & (GEX_DT_FLT | GEX_DT_DBL)) != 0;
  if (!is_number || ops == 0 || (ops & ~atomics::all_operations) != 0) return false;
  return !is_float || (ops & (bitwise | GEX_OP_TO_FETCHING(bitwise))) == 0;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

// NOLINTBEGIN(readability-function-size): the standard chose the parameters

void gex_AD_Create(gex_AD_t* ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags) {
  constexpr auto call = "gex_AD_Create";
  if (!is_valid(dt, ops))
    give_up(call, fmt::format("type {} with operations {}: expected a numeric GEX_DT_ and GEX_OP_ "
                              "bits that it supports",
                              names_of_types(dt), names_of_operations(ops)));
  const Team& team = Team::of(tm);
  // This pair reaches the blocks of every process.
  const bool has_blocks = team.indices.front() == SegmentDirectory::blocks;
  if (team.is_pair() && !has_blocks)
    give_up(
        call,
        "gex_TM_Pair made this pair of endpoints, and a domain needs a team; call gex_TM_Create");
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
