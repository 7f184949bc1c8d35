// The parent of the guardian and child of the launcher: what the ranks have started, wherever it
// has gone, becomes its child when the guardian ends, and is ended then. So nobody is left when
// launcher and guardian are killed at once.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <optional>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {

// In the guardian: tells the sweeper of process groups, for kernels without a /proc that shows all
// descendants.
class SweeperLink {
 public:
  explicit SweeperLink(UniqueFd words) : words_(std::move(words)), pid_(::getppid()) {}

  // The process group of a rank that starts, and of one that has ended and left nobody.
  void add(pid_t group) const { tell(group); }
  void remove(pid_t group) const { tell(-group); }

  pid_t pid() const { return pid_; }
  // Has an error once the sweeper is gone.
  int descriptor() const { return words_.get(); }

 private:
  void tell(pid_t word) const;

  UniqueFd words_;
  pid_t pid_;
};

class Sweeper {
 public:
  // How the guardian ended, and whether others outlived it, which are ended by now.
  struct Report {
    pid_t guardian;
    int wait_status;
    bool were_left;
  };

  // `guard` is the guardian. It does not return.
  static Result<Sweeper> start(FunctionRef<void(SweeperLink)> guard);

  pid_t pid() const { return pid_; }
  // After its end. None: it was killed itself.
  std::optional<Report> report() const;

 private:
  Sweeper(pid_t pid, UniqueFd reports) : pid_(pid), reports_(std::move(reports)) {}

  pid_t pid_;
  UniqueFd reports_;
};

// fork() has failed (errno).
Error no_process();

}  // namespace gondwana::launch
