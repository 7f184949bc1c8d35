// The guardian's side of joining: makes the memory of the job when the first rank asks for it, and
// hands it out as fast as each rank takes it, never waiting for one.
#pragma once

#include <cstdint>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/control_page.hpp"
#include "core/mapping.hpp"
#include "core/node_plan.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {

class WireUp {
 public:
  enum class Progress {
    done,           // the rank has been sent everything it asked for
    wait_for_room,  // its socket is full
    try_later,      // too many descriptors are under way for now
    lost,           // it is gone
  };

  explicit WireUp(std::uint32_t ranks) : ranks_(ranks), next_(ranks, ranks + 1) {}

  // `rank` asked to join; from now on advance() sends it the job from the beginning. An error where
  // the memory cannot be made, or where a program of that rank has joined before and ran.
  Result<void> join(std::uint32_t rank);
  Progress advance(std::uint32_t rank, int socket);

  bool anybody_joined() const { return control_.data() != nullptr; }
  bool has_joined(std::uint32_t rank) const { return !joined_.empty() && joined_[rank]; }
  RankState state(std::uint32_t rank) const;
  // Null until somebody has joined.
  const ControlPage* page(std::uint32_t rank) const;

 private:
  Result<void> create_memory();

  std::uint32_t ranks_;
  std::uint64_t job_tag_ = 0;
  NodePlan plan_;
  UniqueFd control_memory_;
  Mapping control_;
  std::vector<UniqueFd> arenas_;
  std::vector<bool> joined_;
  // Per rank the message to be sent next: 0 is the Welcome, i the arena of rank i - 1.
  std::vector<std::uint32_t> next_;
};

}  // namespace gondwana::launch
