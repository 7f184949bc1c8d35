// Decides how the processes of a job end: SIGTERM, a grace period, then SIGKILL until none is left.
// Descendants finds the processes and sends the signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gondwana::launch {

// Processor use of some processes.
struct ProcessorUse {
  bool any_runs = false;      // or would run if it had a processor
  std::uint64_t used_ns = 0;  // sum over all of them
};

// The processes below this one. The last two members are only needed when a step is due.
struct DescendantsSeen {
  bool any = false;
  std::size_t count = 0;
  ProcessorUse use = {};
};

// Extra time for processes whose grace period has passed while others used the processors. It is
// the processor time that they would have received on an idle machine. It starts when they are
// first sampled.
class Respite {
 public:
  Respite(std::uint64_t grace_ns, std::uint64_t now);

  bool has_begun() const { return max_used_ns_.has_value(); }
  void begin(const ProcessorUse& use);
  // Whether one of them runs and they have time left.
  bool lasts(const ProcessorUse& use, std::uint64_t now);

 private:
  std::uint64_t grace_ns_;
  std::uint64_t end_ns_;
  std::optional<std::uint64_t> max_used_ns_;  // of processors
};

class Ending {
 public:
  enum class State { idle, asked, killing, gone, given_up };

  // Asks all processes to end, once.
  void ask(std::uint64_t grace_ns, std::uint64_t now);
  // Like ask(), after a pause and an extra time in which the processes may end by themselves.
  void ask_later(std::uint64_t pause_ns, std::uint64_t grace_ns, std::uint64_t now);
  // The caller has already asked the ranks. Processes that are left after that time and the extra
  // time are killed.
  void wait_at_most(std::uint64_t grace_ns, std::uint64_t now);
  void kill(std::uint64_t now);

  State state() const { return state_; }
  bool is_idle() const { return state_ == State::idle; }
  bool has_asked() const { return asked_ || state_ == State::killing || is_over(); }
  bool is_over() const { return state_ == State::gone || state_ == State::given_up; }

  // Advances to the current step and returns the signals for all processes. Call this after every
  // reaping and at next_ns().
  std::vector<int> step(const DescendantsSeen& seen, std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

 private:
  // The request that follows the pause.
  struct Later {
    std::uint64_t at_ns;
    std::uint64_t grace_ns;
  };

  void kill_in(std::uint64_t grace_ns, std::uint64_t now);
  void sweep(const DescendantsSeen& seen, std::uint64_t now);
  // Called by the step after a decision. Work of the caller in between, such as a report, does not
  // shorten the grace period.
  void begin_grace(std::uint64_t now);

  State state_ = State::idle;
  bool asked_ = false;
  std::vector<int> signals_;  // not sent yet
  std::optional<Later> later_;
  std::optional<Respite> respite_;
  std::uint64_t kill_at_ns_ = 0;
  std::optional<std::uint64_t> decided_at_ns_;  // nothing: the grace period has begun
  std::uint64_t sweep_at_ns_ = 0;
  std::uint64_t give_up_at_ns_ = 0;
  std::size_t left_ = 0;  // at the last look
};

}  // namespace gondwana::launch
