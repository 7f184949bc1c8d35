#include "simulation/process.hpp"

#include <csignal>

namespace gondwana::simulation {

void Process::signal(int number) {
  if (!alive_) return;
  switch (number) {
    case SIGUSR1:
    case SIGUSR2:
    case SIGURG:
      return;
    case SIGSTOP:
    case SIGTSTP:
      used_ = used_ns();
      since_ = schedule_.now();
      stopped_ = true;
      return;
    case SIGCONT:
      if (std::exchange(stopped_, false)) resume();
      return;
    case SIGKILL:
      told_ = killed_ = true;
      // What happens in between, such as an exit, comes first.
      return schedule_.after(nature_.unkillable + random_.skewed(3 * ms), [this] { die(SIGKILL); });
    default:
      told_ = true;
      if (is_stopped())
        pending_ = number;
      else
        end_by(number);
  }
}

void Process::ask(int number) {
  signal(number);
  asked_ = asked_ || pending_;
}

void Process::end_by(int number) {
  const bool asks = number == SIGTERM || number == SIGINT;
  if (!asks || nature_.at_term == AtTerm::dies)
    return schedule_.after(random_.skewed(3 * ms), [this, number] { die(number); });
  if (nature_.at_term == AtTerm::ignores || std::exchange(is_ending_, true)) return;
  set_computing(true);
  later(nature_.term, [this] { exit(nature_.term_status); });
}

void Process::freeze() {
  used_ = used_ns();
  since_ = schedule_.now();
  ++freezes_;
}

void Process::thaw() {
  --freezes_;
  if (alive_) resume();
}

// Unless something else still stops it.
void Process::resume() {
  if (is_stopped()) return;
  since_ = schedule_.now();
  asked_ = false;
  if (const auto number = std::exchange(pending_, std::nullopt)) end_by(*number);
  for (auto& what : std::exchange(held_, {})) later(random_.skewed(ms), std::move(what));
}

void Process::later(Time delay, std::function<void()> what) {
  schedule_.after(delay, [this, what = std::move(what)] {
    if (!alive_) return;
    if (is_stopped())
      held_.push_back(what);
    else
      what();
  });
}

void Process::die(int wait_status) {
  if (!alive_) return;
  used_ = used_ns();
  alive_ = computes_ = false;
  wait_status_ = wait_status;
  if (on_death) on_death();
}

void Process::set_computing(bool computes) {
  used_ = used_ns();
  since_ = schedule_.now();
  computes_ = computes;
}

Time Process::used_ns() const {
  return used_ + (computes() ? schedule_.now() - since_ : 0);
}

}  // namespace gondwana::simulation
