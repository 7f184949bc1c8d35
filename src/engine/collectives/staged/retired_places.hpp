// The memory of teams on several nodes that a death has ended. Messages that the dead process has
// sent may still arrive there, so for a while no other team gets it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "engine/collectives/common/team_scratch.hpp"

namespace gondwana {

class RetiredPlaces {
 public:
  // Three times the default of GONDWANA_PEER_TIMEOUT, after which a silent agent is lost.
  static constexpr std::uint64_t rest_ns = 60'000'000'000;

  void add(const StagedPlace& place, std::uint64_t now) { places_.push_back({place, now}); }
  // The oldest place, if no message can arrive there any more.
  std::optional<StagedPlace> take(std::uint64_t now) {
    if (places_.empty() || now - places_.front().since_ns < rest_ns) return std::nullopt;
    const StagedPlace oldest = places_.front().place;
    places_.pop_front();
    return oldest;
  }

 private:
  struct Retired {
    StagedPlace place;
    std::uint64_t since_ns;
  };
  std::deque<Retired> places_;
};

}  // namespace gondwana
