// The guardian's side of joining: makes the memory of the job when the first rank asks for it, and
// hands it out as fast as each rank takes it, never waiting for one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bootstrap/job_memory.hpp"
#include "core/control_page.hpp"
#include "core/mapping.hpp"
#include "core/result.hpp"

namespace gondwana::launch {

class WireUp {
 public:
  enum class Progress {
    done,           // the rank has been sent everything it asked for
    wait_for_room,  // its socket is full
    try_later,      // too many descriptors are under way for now
    lost,           // it is gone
  };

  explicit WireUp(std::uint32_t ranks) : ranks_(ranks), joined_(ranks), next_(ranks) {}

  // `rank` asked to join; from now on advance() sends it the job from the beginning. An error where
  // the memory cannot be made, or where a program of that rank has joined before and ran.
  Result<void> join(std::uint32_t rank);
  Progress advance(std::uint32_t rank, int socket);

  bool anybody_joined() const { return memory_.has_value(); }
  bool has_joined(std::uint32_t rank) const { return joined_[rank]; }
  RankState state(std::uint32_t rank) const;
  // Null until somebody has joined.
  const ControlPage* page(std::uint32_t rank) const;

 private:
  Result<void> create_memory();

  std::uint32_t ranks_;
  std::optional<JobMemory> memory_;
  Mapping control_;
  std::vector<bool> joined_;
  std::vector<std::uint32_t> next_;  // per rank that has joined the parcel to be sent next
};

}  // namespace gondwana::launch
