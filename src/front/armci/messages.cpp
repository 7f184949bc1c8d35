#include "front/armci/messages.hpp"

#include <algorithm>

#include "front/armci/groups.hpp"
#include "front/armci/scopes.hpp"

namespace gondwana::armci {
namespace {

// Entry i gets the address by which the caller names the memory of process i.
void exchange_addresses(CallName call, Group& group, void** addresses, int n) {
  if (n < 0 || static_cast<std::uint32_t>(n) != group.size())
    give_up(call, fmt::format("{} addresses: the group has {} processes", n, group.size()));
  const Door& here = group.door();
  constexpr std::uint64_t nothing = 0;
  const void* own = group.me() ? addresses[*group.me()] : nullptr;
  const auto* bytes = static_cast<const std::byte*>(own);
  const std::uint64_t offset =
      bytes == nullptr ? nothing : here.memory().offset_in_own_arena({bytes, 1});
  if (offset == StagedTeam::nowhere)
    give_up(call, fmt::format("{}: not memory that ARMCI_Malloc returned", fmt::ptr(own)));
  const std::vector<std::uint64_t> offsets = group.exchange(call, offset);
  for (std::uint32_t i = 0; i < group.size(); ++i)
    addresses[i] =
        offsets[i] == nothing ? nullptr : here.memory().name_of(group.rank_of(i), offsets[i]);
}

int receive(const Entry& here, int tag, MutableBytes buffer, int* size, std::optional<Rank> from) {
  const CallName call = here.call();
  Mailbox& mailbox = here->mailbox();
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

void meet(CallName call) {
  const Entry here(call);
  here->groups().world().compare(call);
  here->engine().collectives().sync(here->engine().teams().world(), call);
}

void meet(CallName call, const ARMCI_Group* group) {
  member_group(Entry(call), group).meet(call);
}

void broadcast(CallName call, int scope, void* buffer, int size, int root) {
  const Entry here(call);
  Group* group = scope_of(call, *here, scope);
  if (group == nullptr) return;
  const auto member = group->member_of(here->checked_rank(call, root));
  if (!member) give_up(call, fmt::format("root {}: not a process of the scope", root));
  group->broadcast(call, {static_cast<std::byte*>(buffer), checked_count(call, size)}, *member);
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

int armci_msg_me(void) {
  return static_cast<int>(gondwana::index(open_door("armci_msg_me").rank()));
}

int armci_msg_nproc(void) {
  return static_cast<int>(open_door("armci_msg_nproc").ranks());
}

void armci_msg_snd(int tag, void* buffer, int len, int to) {
  constexpr auto call = "armci_msg_snd";
  const Entry here(call);
  here->mailbox().send(call, Mailbox::Kind::program, tag, bytes_at(call, buffer, len),
                       here->checked_rank(call, to));
}

void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
  constexpr auto call = "armci_msg_rcv";
  const Entry here(call);
  receive(here, tag, bytes_at(call, buffer, buflen), msglen, here->checked_rank(call, from));
}

int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
  constexpr auto call = "armci_msg_rcvany";
  return receive(Entry(call), tag, bytes_at(call, buffer, buflen), msglen, std::nullopt);
}

// Not collective: the roster tells each process the members of a scope.
void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
  constexpr auto call = "armci_msg_bintree";
  *root = *up = *left = *right = -1;
  const Entry here(call);
  const std::vector<gondwana::Rank> members = members_of_scope(call, *here, scope);
  const auto found = std::ranges::find(members, here->rank());
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

void armci_msg_group_bcast_scope(int /*scope*/, void* buf, int len, int root, ARMCI_Group* group) {
  constexpr auto call = "armci_msg_group_bcast_scope";
  const Entry here(call);
  Group& of = member_group(here, group);
  const auto member = of.member_of(here->checked_rank(call, root));
  if (!member) give_up(call, fmt::format("root {}: not a process of the group", root));
  of.broadcast(call, bytes_at(call, buf, len), *member);
}

void armci_msg_clus_brdcst(void* buf, int len) {
  constexpr auto call = "armci_msg_clus_brdcst";
  Entry(call)->groups().of_node(call).broadcast(call, bytes_at(call, buf, len), 0);
}

// The members are few, so each gets a message.
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* mastergroup) {
  constexpr auto call = "armci_grp_clus_brdcst";
  constexpr int tag = 3;
  constexpr auto kind = Mailbox::Kind::library;
  const Entry here(call);
  const Group& group = member_group(here, mastergroup);
  const std::int64_t end = std::int64_t{grp_master} + grp_clus_nproc;
  if (grp_master < 0 || grp_clus_nproc < 0 || end > group.size())
    give_up(call, fmt::format("{} processes starting with {}: the group has {}", grp_clus_nproc,
                              grp_master, group.size()));
  if (*group.me() < static_cast<std::uint32_t>(grp_master) || *group.me() >= end) return;
  const auto first = static_cast<std::uint32_t>(grp_master);
  const auto bytes = bytes_at(call, buf, len);
  Mailbox& mailbox = here->mailbox();
  if (group.me() != first) {
    mailbox.take(call, mailbox.wait(call, kind, tag, group.rank_of(first)), bytes);
    return;
  }
  for (std::uint32_t i = 1; i < static_cast<std::uint32_t>(grp_clus_nproc); ++i)
    mailbox.send(call, kind, tag, bytes, group.rank_of(first + i));
}

void armci_exchange_address(void* ptr_ar[], int n) {
  constexpr auto call = "armci_exchange_address";
  exchange_addresses(call, Entry(call)->groups().world(), ptr_ar, n);
}

void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
  constexpr auto call = "armci_exchange_address_grp";
  exchange_addresses(call, member_group(Entry(call), group), ptr_arr, n);
}
