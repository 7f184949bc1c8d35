// A group of processes, and its collectives on arrays in any memory.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "engine/collectives/staged/staged_collectives.hpp"
#include "engine/teams/members.hpp"

namespace gondwana::armci {

class Door;

class Group {
 public:
  // Collective over the members. `places`: the scratch of each member; empty for one member.
  Group(Door& door, std::vector<Rank> members, std::vector<StagedPlace> places);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();

  Door& door() const { return door_; }
  // No two groups of this process ever have the same number.
  std::uint64_t number() const { return number_; }
  std::uint32_t size() const { return members_.size; }
  Rank rank_of(std::uint32_t member) const { return members_.rank_of(member); }
  std::optional<std::uint32_t> member_of(Rank rank) const { return members_.member_of(rank); }
  // The caller's rank in the group; empty if it is not a member.
  std::optional<std::uint32_t> me() const { return me_; }

  // With GONDWANA_DEBUG: ends the job unless all members are in this call with the same details.
  // The collectives below include this check.
  void compare(CallName call, const std::string& details = {});
  void meet(CallName call);
  // The last operation of the group.
  void meet_last(CallName call);
  void broadcast(CallName call, MutableBytes bytes, std::uint32_t root);
  void reduce(CallName call, void* array, std::size_t count, const ElementType& type);
  // Returns the contribution of each member.
  template <typename T>
  std::vector<T> exchange(CallName call, const T& mine) {
    std::vector<T> all(size());
    gather(call, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  void gather(CallName call, Bytes mine, MutableBytes all);

 private:
  void gather_unchecked(CallName call, Bytes mine, MutableBytes all);
  template <typename Step>
  void finish(CallName call, Step step);

  Door& door_;
  std::uint64_t number_;
  Members members_;
  std::optional<std::uint32_t> me_;
  StagedPlace place_;
  std::unique_ptr<StagedCollectives>
      collectives_;  // null: one member, or the caller is not a member
};

}  // namespace gondwana::armci
