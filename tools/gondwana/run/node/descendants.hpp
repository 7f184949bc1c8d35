// Every process below this one, and how to end them all.
//
// Launcher, sweeper and guardian are child subreapers: a process that loses its parent below them
// becomes the child of the nearest. So no descendant can hide, and when waitpid() knows no child
// there is none.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace gondwana::launch {

// None where there is no /proc.
std::vector<pid_t> descendants();
// The process itself and all below it.
std::vector<pid_t> family_of(pid_t ancestor);
bool have_children();

// Time for processes that had theirs by the clock, and others had the processors: what they would
// have got on an idle machine.
class Respite {
 public:
  Respite(const std::vector<pid_t>& processes, std::uint64_t grace_ns);

  // Whether one of them runs, or would if it had a processor, and they have not used it up.
  bool lasts(const std::vector<pid_t>& processes) const;

 private:
  std::uint64_t most_used_ns_;  // of processors
  std::uint64_t end_ns_;
};

// Ends all descendants: SIGTERM, some grace, then SIGKILL until nobody is left. The caller reaps
// the children between two steps.
class Ending {
 public:
  enum class State { idle, asked, killing, gone, given_up };

  // Process groups below, for kernels without a /proc that shows all descendants.
  void add_group(pid_t group) { groups_.insert(group); }
  void remove_group(pid_t group) { groups_.erase(group); }

  // Asks everybody to end, once.
  void ask(std::uint64_t grace_ns);
  // The same after a pause, and a respite, in which they may end by themselves.
  void ask_later(std::uint64_t pause_ns, std::uint64_t grace_ns);
  // The caller has asked the ranks itself: only what is left later is killed, after a respite.
  void wait_at_most(std::uint64_t grace_ns);
  void kill();

  State state() const { return state_; }
  bool over() const { return state_ == State::gone || state_ == State::given_up; }

  // Goes on to whatever is due. Call it after every reaping and at next_ns().
  void step();
  std::optional<std::uint64_t> next_ns() const;

 private:
  // To be asked then.
  struct Later {
    std::uint64_t at_ns;
    std::uint64_t grace_ns;
  };

  void kill_in(std::uint64_t grace_ns);
  // How many got the signal.
  std::size_t signal_all(int signal) const;

  std::set<pid_t> groups_;
  std::size_t left_ = 0;  // at the last sweep
  State state_ = State::idle;
  bool told_ = false;
  std::optional<Later> later_;
  std::uint64_t kill_at_ns_ = 0;
  std::uint64_t sweep_at_ns_ = 0;
  std::uint64_t give_up_at_ns_ = 0;
  std::optional<Respite> respite_;
};

// Ends all descendants with two seconds of grace, reaps them, and waits for that.
void end_all_descendants(Ending& ending);

}  // namespace gondwana::launch
