#include "front/armci/group_table.hpp"

#include <algorithm>

#include "front/armci/door.hpp"

namespace gondwana::armci {

GroupTable::GroupTable(Door& door)
    : door_(door), scratch_(door.engine().collectives().resources()) {}

void GroupTable::make_world(std::vector<StagedPlace> places) {
  world_ = std::make_unique<Group>(door_, all_ranks(), std::move(places));
}

StagedPlace GroupTable::take_scratch(CallName call) {
  const std::optional<StagedPlace> place = scratch_.take();
  if (!place)
    give_up(call, fmt::format("cannot allocate {} bytes of scratch memory for the members of a "
                              "group; free groups or arrays",
                              scratch_.size_of_place()));
  return *place;
}

namespace {

// Tags of the library's own messages.
constexpr int place_of_member = 1;
constexpr int places_of_group = 2;

}  // namespace

// The first member collects the scratch places of the others, and sends the list to all.
Group& GroupTable::make(CallName call, std::vector<Rank> members) {
  const auto mine = std::ranges::find(members, door_.rank());
  std::vector<StagedPlace> places;
  if (mine != members.end() && members.size() > 1) {
    constexpr auto kind = Mailbox::Kind::library;
    Mailbox& mailbox = door_.mailbox();
    places.resize(members.size());
    const StagedPlace place = take_scratch(call);
    const Rank leader = members.front();
    const auto all = std::as_writable_bytes(std::span(places));
    if (leader == door_.rank()) {
      places.front() = place;
      for (std::size_t i = 1; i < members.size(); ++i)
        mailbox.take(call, mailbox.wait(call, kind, place_of_member, members[i]),
                     std::as_writable_bytes(std::span(&places[i], 1)));
      for (std::size_t i = 1; i < members.size(); ++i)
        mailbox.send(call, kind, places_of_group, all, members[i]);
    } else {
      mailbox.send(call, kind, place_of_member, std::as_bytes(std::span(&place, 1)), leader);
      mailbox.take(call, mailbox.wait(call, kind, places_of_group, leader), all);
    }
  }
  return *groups_.emplace_back(
      std::make_unique<Group>(door_, std::move(members), std::move(places)));
}

Group* GroupTable::find(const void* address, std::uint64_t number) const {
  const auto is_meant = [&](const Group& group) {
    return &group == address && group.number() == number;
  };
  if (is_meant(*world_)) return world_.get();
  const auto found =
      std::ranges::find_if(groups_, [&](const auto& each) { return is_meant(*each); });
  return found == groups_.end() ? nullptr : found->get();
}

void GroupTable::remove(Group& group) {
  groups_.remove_if([&](const auto& each) { return each.get() == &group; });
}

std::vector<Rank> GroupTable::all_ranks() const {
  std::vector<Rank> all(door_.ranks());
  for (std::uint32_t each = 0; each < door_.ranks(); ++each) all[each] = Rank(each);
  return all;
}

std::vector<Rank> GroupTable::masters() const {
  const Roster& roster = door_.roster();
  std::vector<Rank> members;
  members.reserve(roster.nodes());
  for (std::uint32_t node = 0; node < roster.nodes(); ++node)
    members.push_back(roster.ranks_of(node).front());
  return members;
}

Group& GroupTable::of_node(CallName call) {
  if (of_node_ != nullptr) return *of_node_;
  const NodeRanks here = door_.roster().here();
  of_node_ = here.size() == door_.ranks() ? world_.get() : &make(call, {here.begin(), here.end()});
  return *of_node_;
}

Group& GroupTable::of_masters(CallName call) {
  if (of_masters_ != nullptr) return *of_masters_;
  std::vector<Rank> members = masters();
  of_masters_ = members.size() == door_.ranks() ? world_.get() : &make(call, std::move(members));
  return *of_masters_;
}

}  // namespace gondwana::armci
