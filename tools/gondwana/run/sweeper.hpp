// A child of the launcher for the case that launcher and guardian are killed at once. The kernel
// then ends the ranks, and the sweeper what they have started and left in their process groups.
#pragma once

#include <sys/types.h>

#include "core/unique_fd.hpp"

namespace gondwana::launch {

class Sweeper {
 public:
  // Without one where the kernel gives no pipe or process: then nobody sweeps.
  static Sweeper open();

  // In the launcher, after it has forked the guardian, which keeps a sweeper that was never started
  // and tells this one of ranks.
  void start();
  // The job has ended: nothing is to be swept. Waits for the child.
  void dismiss();

  // The process group of a rank that starts, and of one that has ended and left nobody.
  void add(pid_t group) const { tell(group); }
  void remove(pid_t group) const { tell(-group); }

 private:
  void tell(pid_t word) const;

  UniqueFd read_end_;
  UniqueFd write_end_;
  pid_t child_ = 0;
};

}  // namespace gondwana::launch
