// How a process leaves its job. Events and the time come in, actions go out. It makes no system
// call and reads no clock; leave.cpp does both.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "bootstrap/launcher_link.hpp"

namespace gondwana {

// A call of this process ends the job. `reaches_all`: a foreign launcher ends all ranks at once,
// so the ranks of this node are told first.
struct EndCalled {
  int status;
  bool reaches_all;
};
// Another rank has ended the job.
struct EndTold {
  int status;
};
// The exit handlers of the program have run.
struct HandlersDone {
  int status;
  bool is_finished;  // the rank has finalized, never joined, or leaves
  bool is_foreign;   // its launcher
};
// Answers LookAtOthers.
struct OthersSeen {
  bool any_lives;  // whether another rank has not finalized
};
using LeaveEvent = std::variant<EndCalled, EndTold, HandlersDone, OthersSeen>;

struct AnnounceEnd {  // tells the ranks of this node
  int status;
};
struct TellLauncher {
  int status;
  EndReason reason;
};
struct LeaveLauncher {};
struct SayUnfinished {
  int status;
};
struct LookAtOthers {};  // after a short pause
using LeaveAction =
    std::variant<AnnounceEnd, TellLauncher, LeaveLauncher, SayUnfinished, LookAtOthers>;
using LeaveActions = std::vector<LeaveAction>;

class Leaving {
 public:
  LeaveActions handle(const LeaveEvent& event, std::uint64_t now);
  // The exit status of this process, once it leaves.
  int status() const { return status_; }

 private:
  LeaveActions on(const EndCalled& end);
  LeaveActions on(const HandlersDone& done, std::uint64_t now);

  int status_ = 0;
  bool asks_for_end_ = false;              // of all ranks, after the exit handlers
  std::optional<std::uint64_t> until_ns_;  // the others have time to end by themselves
};

// A rank that has lost a peer gives its launcher, or a rank that lost its own connections, time to
// end the job and to report the reason.
class LossWait {
 public:
  enum class Step : std::uint8_t { wait_again, end_with_others, fail };

  LossWait(bool may_be_told, std::uint64_t grace_ns, std::uint64_t now)
      : until_ns_(may_be_told ? now + grace_ns : now) {}

  // `has_ended`: whether the job has ended.
  Step step(bool has_ended, std::uint64_t now) const {
    if (has_ended) return Step::end_with_others;
    return now < until_ns_ ? Step::wait_again : Step::fail;
  }

 private:
  std::uint64_t until_ns_;
};

}  // namespace gondwana
