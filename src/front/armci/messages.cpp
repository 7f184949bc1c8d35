// The message layer: messages with tags, and collectives.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "front/armci/door.hpp"
#include "front/armci/groups.hpp"
#include "operations/combine.hpp"

namespace gondwana::armci {
namespace {

// Without a sign. The smallest integer has no such number and stays as it is.
template <typename T>
T magnitude(T value) {
  if constexpr (std::is_integral_v<T>)
    return value < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value)) : value;
  else
    return std::abs(value);
}

// The number that is farther from 0, or nearer to it.
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

// Programs of Fortran pass names with blanks or nothing behind them, so that only the beginning
// counts.
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

std::size_t checked_count(CallName call, int n) {
  if (n < 0) give_up(call, fmt::format("{} elements", n));
  return static_cast<std::size_t>(n);
}

void combine_all(CallName call, Group& group, void* x, int n, std::string_view op, int type) {
  const std::size_t count = checked_count(call, n);
  const ElementType element = element_of(call, type, op);
  // Without a second term, some operations still change the first: absmax, &&.
  const bool is_changed = !op.starts_with('+') && !op.starts_with('*');
  if (group.size() == 1 && is_changed) return element.combine(x, x, x, count);
  group.reduce(call, x, count, element);
}

// Null: the caller takes no part.
Group* scope_of(CallName call, Door& here, int scope) {
  switch (scope) {
    case SCOPE_ALL:
      return &here.world();
    case SCOPE_NODE:
      return &here.node_group(call);
    case SCOPE_MASTERS: {
      const std::uint32_t me = index(here.rank());
      const bool is_first = me == 0 || here.node_of(Rank(me - 1)) != here.node_of(here.rank());
      return is_first ? &here.masters_group(call) : nullptr;
    }
    default:
      give_up(call,
              fmt::format("scope {}: expected SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS", scope));
  }
}

std::vector<Rank> members_of_scope(CallName call, const Door& here, int scope) {
  if (scope == SCOPE_NODE) return here.ranks_of_node();
  if (scope == SCOPE_MASTERS) return here.first_of_nodes();
  if (scope != SCOPE_ALL)
    give_up(call, fmt::format("scope {}: expected SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS", scope));
  std::vector<Rank> all(here.ranks());
  for (std::uint32_t rank = 0; rank < here.ranks(); ++rank) all[rank] = Rank(rank);
  return all;
}

void combine_scope(CallName call, int scope, void* x, int n, std::string_view op, int type) {
  Door& here = door(call);
  if (Group* group = scope_of(call, here, scope)) combine_all(call, *group, x, n, op, type);
}

void broadcast(CallName call, int scope, void* buffer, int size, int root) {
  Door& here = door(call);
  Group* group = scope_of(call, here, scope);
  if (group == nullptr) return;
  const auto member = group->member_of(here.checked_rank(call, root));
  if (!member) give_up(call, fmt::format("root {}: not a process of the scope", root));
  group->broadcast(call, {static_cast<std::byte*>(buffer), checked_count(call, size)}, *member);
}

// Whether the number of one record is to be preferred.
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

// Records are exchanged behind a byte that says whether they count.
void select(CallName call, int scope, void* x, int n, std::string_view op, int type, bool counts) {
  Door& here = door(call);
  Group* group = scope_of(call, here, scope);
  if (group == nullptr) return;
  const bool largest = op.starts_with("max");
  if (!largest && !op.starts_with("min"))
    give_up(call, fmt::format("operator \"{}\": expected min or max", op));
  const std::size_t size = checked_count(call, n);
  if (const std::size_t number = element_of(call, type, op).size; size < number)
    give_up(call, fmt::format("a record of {} bytes: it begins with a number of {}", size, number));
  constexpr std::size_t head = sizeof(std::uint64_t);
  std::vector<std::byte> mine(head + size);
  mine[0] = static_cast<std::byte>(counts ? 1 : 0);
  std::memcpy(mine.data() + head, x, size);
  std::vector<std::byte> all(group->size() * mine.size());
  group->gather(call, mine, all);
  const std::byte* best = nullptr;
  for (std::uint32_t i = 0; i < group->size(); ++i) {
    const std::byte* record = all.data() + i * mine.size();
    if (record[0] == std::byte{0}) continue;
    if (best == nullptr || is_better(record + head, best, type, largest)) best = record + head;
  }
  if (best != nullptr) std::memcpy(x, best, size);
}

// Entry i gets the address by which the caller names the memory of process i.
void exchange_addresses(CallName call, Group& group, void** addresses, int n) {
  if (n < 0 || static_cast<std::uint32_t>(n) != group.size())
    give_up(call, fmt::format("{} addresses: the group has {} processes", n, group.size()));
  const Door& here = group.door();
  constexpr std::uint64_t nothing = 0;
  const void* own = group.me() ? addresses[*group.me()] : nullptr;
  const auto* bytes = static_cast<const std::byte*>(own);
  const std::uint64_t offset = bytes == nullptr ? nothing : here.offset_in_own_arena({bytes, 1});
  if (offset == StagedTeam::nowhere)
    give_up(call, fmt::format("{}: not memory that ARMCI_Malloc has returned", fmt::ptr(own)));
  const std::vector<std::uint64_t> offsets = group.exchange(call, offset);
  for (std::uint32_t i = 0; i < group.size(); ++i)
    addresses[i] = offsets[i] == nothing ? nullptr : here.name_of(group.rank_of(i), offsets[i]);
}

int receive(CallName call, int tag, MutableBytes buffer, int* size, std::optional<Rank> from) {
  Mailbox& mailbox = door(call).mailbox();
  const Mailbox::Arrived message = mailbox.wait(call, Mailbox::Kind::program, tag, from);
  if (message.size > buffer.size())
    give_up(call,
            fmt::format("a message of {} bytes with tag {} from process {}: the buffer has {}",
                        message.size, tag, index(message.from), buffer.size()));
  mailbox.take(call, message, buffer.first(message.size));
  if (size != nullptr) *size = static_cast<int>(message.size);
  return static_cast<int>(index(message.from));
}

MutableBytes bytes_at(CallName call, void* buffer, int size) {
  return {static_cast<std::byte*>(buffer), checked_count(call, size)};
}

}  // namespace
}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

int armci_msg_me(void) {
  return static_cast<int>(gondwana::index(door("armci_msg_me").rank()));
}

int armci_msg_nproc(void) {
  return static_cast<int>(door("armci_msg_nproc").ranks());
}

void armci_msg_snd(int tag, void* buffer, int len, int to) {
  constexpr auto call = "armci_msg_snd";
  Door& here = door(call);
  here.mailbox().send(call, Mailbox::Kind::program, tag, bytes_at(call, buffer, len),
                      here.checked_rank(call, to));
}

void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
  constexpr auto call = "armci_msg_rcv";
  receive(call, tag, bytes_at(call, buffer, buflen), msglen, door(call).checked_rank(call, from));
}

int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
  constexpr auto call = "armci_msg_rcvany";
  return receive(call, tag, bytes_at(call, buffer, buflen), msglen, std::nullopt);
}

void parmci_msg_barrier(void) {
  constexpr auto call = "armci_msg_barrier";
  const Door& here = door(call);
  here.engine().collectives().sync(here.engine().teams().world(), call);
}

void parmci_msg_group_barrier(ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_barrier";
  member_group(call, group).meet(call);
}

extern "C" {
decltype(parmci_msg_barrier) armci_msg_barrier __attribute__((weak, alias("parmci_msg_barrier")));
decltype(parmci_msg_group_barrier) armci_msg_group_barrier
    __attribute__((weak, alias("parmci_msg_group_barrier")));
}

// Asks nobody: the members of a scope follow from the nodes.
void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
  constexpr auto call = "armci_msg_bintree";
  *root = *up = *left = *right = -1;
  const std::vector<gondwana::Rank> members = members_of_scope(call, door(call), scope);
  const auto found = std::ranges::find(members, door(call).rank());
  if (found == members.end()) return;
  const auto me = static_cast<std::size_t>(found - members.begin());
  const auto rank_of = [&](std::size_t member) {
    return member < members.size() ? static_cast<int>(gondwana::index(members[member])) : -1;
  };
  *root = rank_of(0);
  if (me > 0) *up = rank_of((me - 1) / 2);
  *left = rank_of(2 * me + 1);
  *right = rank_of(2 * me + 2);
}

void armci_msg_bcast(void* buffer, int len, int root) {
  broadcast("armci_msg_bcast", SCOPE_ALL, buffer, len, root);
}

void armci_msg_brdcst(void* buffer, int len, int root) {
  broadcast("armci_msg_brdcst", SCOPE_ALL, buffer, len, root);
}

void armci_msg_bcast_scope(int scope, void* buffer, int len, int root) {
  broadcast("armci_msg_bcast_scope", scope, buffer, len, root);
}

void armci_msg_group_bcast_scope(int /*scope*/, void* buf, int len, int root, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_bcast_scope";
  Group& of = member_group(call, group);
  const auto member = of.member_of(of.door().checked_rank(call, root));
  if (!member) give_up(call, fmt::format("root {}: not a process of the group", root));
  of.broadcast(call, bytes_at(call, buf, len), *member);
}

void armci_msg_sel(void* x, int n, char* op, int type, int contribute) {
  select("armci_msg_sel", SCOPE_ALL, x, n, op, type, contribute != 0);
}

void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  select("armci_msg_sel_scope", scope, x, n, op, type, contribute != 0);
}

void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  combine_scope("armci_msg_gop_scope", scope, x, n, op, type);
}

void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  combine_scope("armci_msg_reduce_scope", scope, x, n, op, type);
}

void armci_msg_reduce(void* x, int n, char* op, int type) {
  combine_scope("armci_msg_reduce", SCOPE_ALL, x, n, op, type);
}

void armci_msg_igop(int* x, int n, char* op) {
  constexpr auto call = "armci_msg_igop";
  combine_all(call, door(call).world(), x, n, op, ARMCI_INT);
}

void armci_msg_lgop(long* x, int n, char* op) {
  constexpr auto call = "armci_msg_lgop";
  combine_all(call, door(call).world(), x, n, op, ARMCI_LONG);
}

void armci_msg_llgop(long long* x, int n, char* op) {
  constexpr auto call = "armci_msg_llgop";
  combine_all(call, door(call).world(), x, n, op, ARMCI_LONG_LONG);
}

void armci_msg_fgop(float* x, int n, char* op) {
  constexpr auto call = "armci_msg_fgop";
  combine_all(call, door(call).world(), x, n, op, ARMCI_FLOAT);
}

void armci_msg_dgop(double* x, int n, char* op) {
  constexpr auto call = "armci_msg_dgop";
  combine_all(call, door(call).world(), x, n, op, ARMCI_DOUBLE);
}

void armci_msg_group_gop_scope(int /*scope*/, void* x, int n, char* op, int type,
                               ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_gop_scope";
  combine_all(call, member_group(call, group), x, n, op, type);
}

void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_igop";
  combine_all(call, member_group(call, group), x, n, op, ARMCI_INT);
}

void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_lgop";
  combine_all(call, member_group(call, group), x, n, op, ARMCI_LONG);
}

void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_llgop";
  combine_all(call, member_group(call, group), x, n, op, ARMCI_LONG_LONG);
}

void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_fgop";
  combine_all(call, member_group(call, group), x, n, op, ARMCI_FLOAT);
}

void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_dgop";
  combine_all(call, member_group(call, group), x, n, op, ARMCI_DOUBLE);
}

void armci_msg_clus_brdcst(void* buf, int len) {
  constexpr auto call = "armci_msg_clus_brdcst";
  door(call).node_group(call).broadcast(call, bytes_at(call, buf, len), 0);
}

void armci_msg_clus_igop(int* x, int n, char* op) {
  constexpr auto call = "armci_msg_clus_igop";
  combine_all(call, door(call).node_group(call), x, n, op, ARMCI_INT);
}

void armci_msg_clus_lgop(long* x, int n, char* op) {
  constexpr auto call = "armci_msg_clus_lgop";
  combine_all(call, door(call).node_group(call), x, n, op, ARMCI_LONG);
}

void armci_msg_clus_llgop(long long* x, int n, char* op) {
  constexpr auto call = "armci_msg_clus_llgop";
  combine_all(call, door(call).node_group(call), x, n, op, ARMCI_LONG_LONG);
}

void armci_msg_clus_fgop(float* x, int n, char* op) {
  constexpr auto call = "armci_msg_clus_fgop";
  combine_all(call, door(call).node_group(call), x, n, op, ARMCI_FLOAT);
}

void armci_msg_clus_dgop(double* x, int n, char* op) {
  constexpr auto call = "armci_msg_clus_dgop";
  combine_all(call, door(call).node_group(call), x, n, op, ARMCI_DOUBLE);
}

// These are few, so each gets a message.
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* mastergroup) {
  constexpr auto call = "armci_grp_clus_brdcst";
  constexpr int tag = 3;
  constexpr auto kind = Mailbox::Kind::library;
  const Group& group = member_group(call, mastergroup);
  const std::int64_t end = std::int64_t{grp_master} + grp_clus_nproc;
  if (grp_master < 0 || grp_clus_nproc < 0 || end > group.size())
    give_up(call, fmt::format("{} processes from {} on: the group has {}", grp_clus_nproc,
                              grp_master, group.size()));
  if (*group.me() < static_cast<std::uint32_t>(grp_master) || *group.me() >= end) return;
  const auto first = static_cast<std::uint32_t>(grp_master);
  const auto bytes = bytes_at(call, buf, len);
  Mailbox& mailbox = group.door().mailbox();
  if (group.me() != first) {
    mailbox.take(call, mailbox.wait(call, kind, tag, group.rank_of(first)), bytes);
    return;
  }
  for (std::uint32_t i = 1; i < static_cast<std::uint32_t>(grp_clus_nproc); ++i)
    mailbox.send(call, kind, tag, bytes, group.rank_of(first + i));
}

void armci_exchange_address(void* ptr_ar[], int n) {
  constexpr auto call = "armci_exchange_address";
  exchange_addresses(call, door(call).world(), ptr_ar, n);
}

void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
  constexpr auto call = "armci_exchange_address_grp";
  exchange_addresses(call, member_group(call, group), ptr_arr, n);
}
