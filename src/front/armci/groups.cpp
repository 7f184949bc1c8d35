#include "front/armci/groups.hpp"

#include <algorithm>

#include "armci/armcix.h"
#include "front/armci/companion.hpp"
#include "front/armci/mpi.hpp"

namespace gondwana::armci {
namespace {

// Programs copy handles. A handle points to the group of the door.
constinit ARMCI_Group world_handle{};
constinit ARMCI_Group default_handle{};

void make(Group& group, ARMCI_Group* handle) {
  *handle = {};
  handle->gondwana_group = &group;
  handle->gondwana_number = group.number();
  make_communicator(group, handle);
}

std::vector<Rank> members_of(CallName call, int size, const int* list, const Group& parent) {
  if (size < 0) give_up(call, fmt::format("a group of {} processes: expected 0 or more", size));
  std::vector<Rank> members;
  for (int i = 0; i < size; ++i) {
    if (list[i] < 0 || static_cast<std::uint32_t>(list[i]) >= parent.size())
      give_up(call, fmt::format("process {}: the group has {} processes", list[i], parent.size()));
    const Rank rank = parent.rank_of(static_cast<std::uint32_t>(list[i]));
    if (std::ranges::find(members, rank) != members.end())
      give_up(call, fmt::format("process {} is in the list twice", list[i]));
    members.push_back(rank);
  }
  return members;
}

void create(CallName call, int size, const int* list, ARMCI_Group* made,
            const ARMCI_Group* parent) {
  const Entry here(call);
  const Group& all = group_of(here, parent);
  make(here->groups().make(call, members_of(call, size, list, all)), made);
}

// Processes of one color form a group, in the order of their keys.
void split(CallName call, const ARMCI_Group* parent, int color, int key, ARMCI_Group* made) {
  struct Wish {
    int color;
    int key;
  };
  const Entry here(call);
  Group& all = member_group(here, parent);
  const std::vector<Wish> wishes = all.exchange(call, Wish{color, key});
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (color >= 0 && wishes[i].color == color) chosen.push_back(i);
  std::ranges::stable_sort(chosen, {}, [&](std::uint32_t i) { return wishes[i].key; });
  std::vector<Rank> members;
  members.reserve(chosen.size());
  for (const std::uint32_t i : chosen) members.push_back(all.rank_of(i));
  make(here->groups().make(call, std::move(members)), made);
}

}  // namespace

void open_groups(Door& door) {
  make(door.groups().world(), &world_handle);
  default_handle = world_handle;
}

void close_groups() {
  free_communicator(&world_handle);
  world_handle = default_handle = {};
}

Group& group_of(const Entry& here, const ARMCI_Group* handle) {
  Group* group = handle == nullptr
                     ? nullptr
                     : here->groups().find(handle->gondwana_group, handle->gondwana_number);
  if (group == nullptr) give_up(here.call(), "the group was never created, or was freed");
  return *group;
}

Group& member_group(const Entry& here, const ARMCI_Group* handle) {
  Group& group = group_of(here, handle);
  if (!group.me()) give_up(here.call(), "this process is not a member of the group");
  return group;
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

void ARMCI_Group_create(int grp_size, int* pid_list, ARMCI_Group* group_out) {
  create("ARMCI_Group_create", grp_size, pid_list, group_out, &default_handle);
}

void ARMCI_Group_create_child(int grp_size, int* pid_list, ARMCI_Group* group_out,
                              ARMCI_Group* group_parent) {
  create("ARMCI_Group_create_child", grp_size, pid_list, group_out, group_parent);
}

void ARMCI_Group_free(ARMCI_Group* group) {
  constexpr auto call = "ARMCI_Group_free";
  const Entry here(call);
  Group& freed = group_of(here, group);
  if (&freed == &here->groups().world())
    give_up(call, "the group of all processes cannot be freed");
  if (freed.me()) freed.meet_last(call);
  free_communicator(group);
  if (default_handle.gondwana_group == group->gondwana_group) default_handle = world_handle;
  here->groups().remove(freed);
  *group = {};
}

int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  const Entry here("ARMCI_Group_rank");
  const std::optional<std::uint32_t> me = group_of(here, group).me();
  *rank = me ? static_cast<int>(*me) : -1;
  return me ? 0 : 1;
}

void ARMCI_Group_size(ARMCI_Group* group, int* size) {
  *size = static_cast<int>(group_of(Entry("ARMCI_Group_size"), group).size());
}

void ARMCI_Group_set_default(ARMCI_Group* group) {
  const Entry here("ARMCI_Group_set_default");
  group_of(here, group);
  default_handle = *group;
}

void ARMCI_Group_get_default(ARMCI_Group* group_out) {
  const Turn turn;
  *group_out = default_handle;
}

void ARMCI_Group_get_world(ARMCI_Group* group_out) {
  const Turn turn;
  *group_out = world_handle;
}

int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank) {
  constexpr auto call = "ARMCI_Absolute_id";
  const Entry here(call);
  const Group& of = group_of(here, group);
  if (group_rank < 0 || static_cast<std::uint32_t>(group_rank) >= of.size())
    give_up(call, fmt::format("process {}: the group has {} processes", group_rank, of.size()));
  return static_cast<int>(gondwana::index(of.rank_of(static_cast<std::uint32_t>(group_rank))));
}

int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group) {
  split("ARMCIX_Group_split", parent, color, key, new_group);
  return 0;
}

int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group) {
  split("ARMCIX_Group_dup", parent, 0, 0, new_group);
  return 0;
}

void ARMCIX_Progress(void) {
  const Entry here("ARMCIX_Progress");
  here->engine().waiter().make_progress();
  step_companion();
}
