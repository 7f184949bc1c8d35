// How the processes of a job end: SIGTERM, some grace, then SIGKILL until nobody is left. This only
// decides; Descendants looks at the processes and sends them the signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gondwana::launch {

// What processes do with processors.
struct ProcessorUse {
  bool any_runs = false;      // or would if it had a processor
  std::uint64_t used_ns = 0;  // by all of them
};

// The processes below this one. The last two are needed once something is due only.
struct DescendantsSeen {
  bool any = false;
  std::size_t count = 0;
  ProcessorUse use = {};
};

// Time for processes that had theirs by the clock, and others had the processors: what they would
// have got on an idle machine. It begins when they are first looked at.
class Respite {
 public:
  Respite(std::uint64_t grace_ns, std::uint64_t now);

  bool has_begun() const { return most_used_ns_.has_value(); }
  void begin(const ProcessorUse& use);
  // Whether one of them runs and they have not used it up.
  bool lasts(const ProcessorUse& use, std::uint64_t now);

 private:
  std::uint64_t grace_ns_;
  std::uint64_t end_ns_;
  std::optional<std::uint64_t> most_used_ns_;  // of processors
};

class Ending {
 public:
  enum class State { idle, asked, killing, gone, given_up };

  // Asks everybody to end, once.
  void ask(std::uint64_t grace_ns, std::uint64_t now);
  // The same after a pause, and a respite, in which they may end by themselves.
  void ask_later(std::uint64_t pause_ns, std::uint64_t grace_ns, std::uint64_t now);
  // The caller has asked the ranks itself: only what is left later is killed, after a respite.
  void wait_at_most(std::uint64_t grace_ns, std::uint64_t now);
  void kill(std::uint64_t now);

  State state() const { return state_; }
  bool is_idle() const { return state_ == State::idle; }
  bool has_asked() const { return asked_ || state_ == State::killing || is_over(); }
  bool is_over() const { return state_ == State::gone || state_ == State::given_up; }

  // Goes on to what is due: the signals for all processes. To be called after every reaping and at
  // next_ns().
  std::vector<int> step(const DescendantsSeen& seen, std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

 private:
  // To be asked then.
  struct Later {
    std::uint64_t at_ns;
    std::uint64_t grace_ns;
  };

  void kill_in(std::uint64_t grace_ns, std::uint64_t now);
  // At the step that follows a decision: what the caller did in between, such as a report, takes
  // no time from the processes.
  void begin_grace(std::uint64_t now);

  State state_ = State::idle;
  bool asked_ = false;
  std::vector<int> signals_;  // not sent yet
  std::optional<Later> later_;
  std::optional<Respite> respite_;
  std::uint64_t kill_at_ns_ = 0;
  std::optional<std::uint64_t> decided_at_ns_;  // nothing: the grace has begun
  std::uint64_t sweep_at_ns_ = 0;
  std::uint64_t give_up_at_ns_ = 0;
  std::size_t left_ = 0;  // at the last sweep
};

}  // namespace gondwana::launch
