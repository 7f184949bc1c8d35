// The parent of the guardian and a child of the launcher. When the guardian ends, all processes
// started by ranks become the sweeper's children, and the sweeper ends them. So nothing is left if
// launcher and guardian are killed together.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <optional>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {

// The guardian's side: reports process groups to the sweeper, for kernels whose /proc does not show
// all descendants.
class SweeperLink {
 public:
  explicit SweeperLink(UniqueFd words) : words_(std::move(words)), pid_(::getppid()) {}

  // Report the process group of a rank that starts, and of a rank that has ended and left no
  // process.
  void add(pid_t group) const { tell(group); }
  void remove(pid_t group) const { tell(-group); }

  pid_t pid() const { return pid_; }
  // Becomes an error condition when the sweeper ends.
  int descriptor() const { return words_.get(); }

 private:
  void tell(pid_t word) const;

  UniqueFd words_;
  pid_t pid_;
};

class Sweeper {
 public:
  // How the guardian ended, and whether the sweeper had to end other processes after it.
  struct Report {
    pid_t guardian;
    int wait_status;
    bool were_left;
  };

  // `guard` runs the guardian. It must not return.
  static Result<Sweeper> start(FunctionRef<void(SweeperLink)> guard);

  pid_t pid() const { return pid_; }
  // Available after the sweeper's end; nothing if it was killed.
  std::optional<Report> report() const;

 private:
  Sweeper(pid_t pid, UniqueFd reports) : pid_(pid), reports_(std::move(reports)) {}

  pid_t pid_;
  UniqueFd reports_;
};

// fork() has failed; the text includes errno.
Error no_process();

}  // namespace gondwana::launch
