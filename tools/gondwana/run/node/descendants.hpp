// All processes below this one, and how to end them.
//
// Launcher, sweeper and guardian are child subreapers: a process below them that loses its parent
// becomes a child of the nearest one. So no descendant can hide, and if waitpid() finds no child,
// there is none.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

#include "run/node/ending.hpp"

namespace gondwana::launch {

bool have_children();
// Empty if /proc is missing.
std::vector<pid_t> descendants();
// Sums the process and everything below it.
ProcessorUse processor_use_of(pid_t ancestor);

class Descendants {
 public:
  // Adds a process group, for kernels whose /proc does not show all descendants.
  void add_group(pid_t group) { groups_.insert(group); }
  void remove_group(pid_t group) { groups_.erase(group); }

  // Collects only what `ending` needs now.
  DescendantsSeen observe(const Ending& ending, std::uint64_t now);
  // Signals the processes found by the last look.
  void signal(int signal) const;
  // Call this after reaping ended children.
  void step(Ending& ending);

  // Ends all of them with two seconds of grace, and waits until they are reaped.
  void end_all();

 private:
  std::set<pid_t> groups_;
  std::vector<pid_t> found_;  // from the last look; negative: a process group
};

}  // namespace gondwana::launch
