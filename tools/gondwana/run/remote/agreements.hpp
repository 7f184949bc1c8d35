// The conductor's part in the shrinks of teams on several hosts: it decides which members a new
// team has, so two members never disagree. It numbers the deaths, and if it dies the job ends.
//
// A shrink is decided when all members that live have entered. The conductor does not know the
// members of teams. A member that enters tells how many are among the dead that it knows of, and
// enters again after each death. So the conductor counts: those that have entered and live, and the
// dead members that the last one knows of. Together they are all members only if it knows of all
// that are dead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "run/remote/frames.hpp"

namespace gondwana::launch {

class Agreements {
 public:
  // A member has entered, perhaps again. Returns the decision if it is the last.
  std::optional<Shrunk> enter(const ShrinkEntry& entry);
  // A rank has died.
  void die(std::uint32_t rank);

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // the number of a team and its first member

  // The last shrink of a team. A member that enters a later one has this one's decision.
  struct Shrink {
    ShrinkDecision decision;          // so far
    std::set<std::uint32_t> entered;  // and live
    bool is_decided = false;
  };

  std::optional<Shrunk> decide(Shrink& shrink, const ShrinkEntry& last);

  std::map<Key, Shrink> shrinks_;
};

}  // namespace gondwana::launch
