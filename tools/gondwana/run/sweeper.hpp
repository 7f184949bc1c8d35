// A child of the launcher for the case that launcher and guardian are killed at once. The kernel
// then ends the ranks; the sweeper ends what the ranks have started and left in their process
// groups.
#pragma once

#include <sys/types.h>

#include "core/unique_fd.hpp"

namespace gondwana::launch {

class Sweeper {
 public:
  // Before the guardian is forked: launcher and guardian both keep one. Where the kernel gives no
  // pipe or process there is no sweeper.
  static Sweeper open();

  // In the launcher, after it has forked the guardian.
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
