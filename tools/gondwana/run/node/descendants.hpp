// Every process below this one, and how to end them all.
//
// Launcher, sweeper and guardian are child subreapers: a process that loses its parent below them
// becomes the child of the nearest. So no descendant can hide, and when waitpid() knows no child
// there is none.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

#include "run/node/ending.hpp"

namespace gondwana::launch {

bool have_children();
// None where there is no /proc.
std::vector<pid_t> descendants();
// Of the process itself and all below it.
ProcessorUse use_of_family(pid_t ancestor);

class Descendants {
 public:
  // Process groups below, for kernels without a /proc that shows all descendants.
  void add_group(pid_t group) { groups_.insert(group); }
  void remove_group(pid_t group) { groups_.erase(group); }

  // Looks only as far as something is due.
  DescendantsSeen look(const Ending& ending, std::uint64_t now);
  // To those that were there at the last look.
  void signal(int signal) const;
  // The caller has reaped what has ended.
  void step(Ending& ending);

  // Ends all with two seconds of grace, reaps them, and waits for that.
  void end_all();

 private:
  std::set<pid_t> groups_;
  std::vector<pid_t> found_;  // by the last look; negative: a group
};

}  // namespace gondwana::launch
