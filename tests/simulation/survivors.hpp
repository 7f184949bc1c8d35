// The hosts and ranks of a SurvivingJob.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/collectives/conducted_shrink.hpp"
#include "simulation/surviving_job.hpp"

namespace gondwana::simulation {

struct SurvivingJob::Team {
  std::uint32_t number;
  std::vector<std::uint32_t> ranks;
  std::uint64_t shrinks;

  std::uint32_t first() const { return ranks.front(); }
};

struct SurvivingJob::Node : HostNode {
  std::vector<Rank*> ranks = {};
  std::vector<std::uint32_t> deaths = {};  // in control memory
};

struct SurvivingJob::Rank {
  std::uint32_t number;
  Node* node;
  bool is_alive = true;
  Time died_at = 0;
  RankState state = RankState::absent;
  std::uint32_t turn = 0;  // shrinks that it has made
  bool is_polling = false;
  std::uint64_t free = ~std::uint64_t{3};  // team numbers; 0 and 1 are taken
  std::uint64_t taken = 0;                 // offered
  std::uint64_t chosen = 0;
  std::map<std::uint32_t, std::uint64_t> last_epochs = {};
  std::shared_ptr<Team> world;
  std::shared_ptr<Team> team;
  std::shared_ptr<Team> shrinking = {};
  std::map<std::uint32_t, std::unique_ptr<ShrinkPlace<RealAtomics>>> places = {};
  std::function<bool()> decide = {};  // true: decided
  std::function<void(const ShrinkEntry&)> report = {};
  Doorbell<RealAtomics> bell = {};

  ShrinkPlace<RealAtomics>& place(std::uint32_t team_number) {
    auto& place = places[team_number];
    if (!place) place = std::make_unique<ShrinkPlace<RealAtomics>>();
    return *place;
  }
};

// The members of a team, as the real shrinks see them.
struct SurvivingJob::Members {
  const SurvivingJob* job;
  const Node* node;
  std::shared_ptr<Team> team;

  std::uint32_t size() const { return static_cast<std::uint32_t>(team->ranks.size()); }
  Rank& rank(std::uint32_t i) const { return *job->ranks_[team->ranks[i]]; }
  ShrinkPlace<RealAtomics>& place(std::uint32_t i) const { return rank(i).place(team->number); }
  Doorbell<RealAtomics>& doorbell(std::uint32_t i) const { return rank(i).bell; }
  std::uint32_t deaths() const { return static_cast<std::uint32_t>(node->deaths.size()); }
  std::uint32_t death_of(std::uint32_t i) const {
    const auto found = std::ranges::find(node->deaths, team->ranks[i]);
    return found == node->deaths.end()
               ? 0
               : static_cast<std::uint32_t>(found - node->deaths.begin()) + 1;
  }
};

inline SurvivingJob::Node& SurvivingJob::own(HostNode& node) {
  return static_cast<Node&>(node);
}

}  // namespace gondwana::simulation
