// The groups of this process, and the scratch through which members of each exchange data.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "engine/collectives/staged/scratch_space.hpp"
#include "front/armci/group.hpp"

namespace gondwana::armci {

class GroupTable {
 public:
  explicit GroupTable(Door& door);

  // Collective. `places`: the scratch of each process.
  void make_world(std::vector<StagedPlace> places);
  Group& world() const { return *world_; }
  Group& of_node(CallName call);     // the caller's node
  Group& of_masters(CallName call);  // the first process of each node
  // Called by all members. Other processes may also call it. The group lives as long as the door,
  // or until remove().
  Group& make(CallName call, std::vector<Rank> members);
  void remove(Group& group);
  // Null: the group does not exist any more.
  Group* find(const void* address, std::uint64_t number) const;
  std::vector<Rank> all_ranks() const;
  std::vector<Rank> masters() const;

  ScratchSpace& scratch() { return scratch_; }
  StagedPlace take_scratch(CallName call);

 private:
  Door& door_;
  ScratchSpace scratch_;
  std::unique_ptr<Group> world_;
  std::list<std::unique_ptr<Group>> groups_;
  Group* of_node_ = nullptr;     // made at first use
  Group* of_masters_ = nullptr;  // the same
};

}  // namespace gondwana::armci
