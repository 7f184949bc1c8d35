// The teams of this process, and the pairs of endpoints that serve as teams.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "front/gasnet/objects.hpp"

namespace gondwana::gasnet {

// The members of a new team: process, endpoint and scratch of each, and the rank of this member.
struct Membership {
  std::vector<std::uint32_t> processes;
  std::vector<gex_EP_Index_t> indices;
  std::vector<StagedPlace> places;
  std::uint32_t rank = 0;
};

class TeamTable {
 public:
  // `inline_path`: inline code of clients may use the memory of members.
  TeamTable(Door& door, bool inline_path);

  // Collective. Makes the team of all first endpoints.
  void make_world(CallName call);
  gex_TM_t world() const { return world_; }
  Team& add(Membership membership, gex_Flags_t flags);
  void remove(Team& team);
  Team& pair(gex_EP_t local, gex_EP_Index_t remote);
  void forget_pairs(const gondwana_gex_endpoint& local);
  // Collective. Publishes the bound segments of the endpoints to the members of the team.
  void publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call);
  // Inline code may no longer use the teams and pairs of an endpoint, because its segment is on a
  // device.
  void hide_members(const gondwana_gex_endpoint& endpoint);

  // The resources of staged collectives.
  const CollectiveResources& staged() const { return staged_; }
  // Takes the scratch of this member for a new team.
  StagedPlace take_scratch(CallName call);
  // Bytes of segment memory that one team needs.
  std::size_t size_of_place() const { return scratch_space_.size_of_place(); }

 private:
  StagedPlace first_place(std::uint32_t process);
  std::unique_ptr<StagedCollectives> make_collectives(const Team& team,
                                                      std::vector<StagedPlace> places);
  void fill(Team& team);

  Door& door_;
  bool inline_path_;
  CollectiveResources staged_;
  ScratchSpace scratch_space_;
  Team* world_ = nullptr;
  std::mutex mutex_;  // guards the members below
  std::list<std::unique_ptr<Team>> teams_;
  std::map<std::pair<gex_EP_Index_t, gex_EP_Index_t>, std::unique_ptr<Team>> pairs_;
};

}  // namespace gondwana::gasnet
