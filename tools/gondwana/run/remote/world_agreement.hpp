// The conductor's part in updates of the world of a job on several hosts: it decides which ranks
// the new world has, so two ranks never disagree. It numbers the ranks and the deaths.
//
// An update is decided when all ranks that have a number and live have entered.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "sync/number_offer.hpp"
#include "sync/world_entry.hpp"

namespace gondwana::launch {

class WorldAgreement {
 public:
  explicit WorldAgreement(std::uint32_t ranks) : size_(ranks) {}

  // More ranks have numbers now.
  void grow(std::uint32_t ranks) { size_ = ranks; }
  // Each returns the decision if it is the last that was missing. `changes`: the deaths, leaves and
  // starts so far.
  std::optional<WorldDecision> enter(const WorldEntry& entry);
  std::optional<WorldDecision> die(std::uint32_t rank, std::uint32_t changes);
  // The rank has died, and another process takes its place, which enters later.
  void replace(std::uint32_t rank, std::uint32_t changes);

 private:
  std::optional<WorldDecision> decide();

  std::uint32_t size_;
  std::uint32_t deaths_ = 0;
  std::uint64_t turn_ = 0;  // of the last decision
  std::set<std::uint32_t> dead_;
  std::map<std::uint32_t, NumberOffer> entered_;  // by rank; ranks that live
};

}  // namespace gondwana::launch
