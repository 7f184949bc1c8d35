// A process of a simulated host: what signals do to it, and when it computes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/plan.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class Process {
 public:
  struct Nature {
    std::string name;
    AtTerm at_term = AtTerm::dies;
    Time term = 0;
    int term_status = 0;
    Time unkillable = 0;
  };

  // `schedule` must outlive this, and this what is scheduled.
  Process(Schedule& schedule, Random random, pid_t pid, Nature nature)
      : schedule_(schedule), random_(random), pid_(pid), nature_(std::move(nature)) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::function<void()> on_death;

  void signal(int number);
  void ask(int number);  // the same, by the guardian
  // What the program does then, unless it is dead; once it continues, if it is stopped.
  void later(Time delay, std::function<void()> what);
  // Its host stops, and goes on. A process that was also stopped by a signal stays stopped.
  void freeze();
  void thaw();
  void exit(int status) { die(status << 8); }
  void die(int wait_status);
  void set_computing(bool computes);

  pid_t pid() const { return pid_; }
  const std::string& name() const { return nature_.name; }
  bool is_alive() const { return alive_; }
  bool is_reaped() const { return reaped_; }
  void reap() { reaped_ = true; }
  bool computes() const { return alive_ && computes_ && !is_stopped(); }
  bool is_stopped() const { return stopped_ || freezes_ > 0; }
  // It is stopped, and has not heard what it was asked.
  bool is_deaf() const { return alive_ && is_stopped() && asked_ && !killed_; }
  bool was_unkillable() const { return nature_.unkillable > 0; }
  Time used_ns() const;
  int wait_status() const { return wait_status_; }
  // It has been told to end.
  bool was_told() const { return told_; }

 private:
  void end_by(int number);
  void resume();

  Schedule& schedule_;
  Random random_;
  pid_t pid_;
  Nature nature_;
  bool alive_ = true;
  bool reaped_ = false;
  bool told_ = false;
  bool killed_ = false;
  bool asked_ = false;
  bool computes_ = false;
  bool stopped_ = false;       // by a signal
  std::uint32_t freezes_ = 0;  // that last
  bool is_ending_ = false;     // at a TERM
  std::optional<int> pending_;
  std::vector<std::function<void()>> held_;
  Time used_ = 0;
  Time since_ = 0;
  int wait_status_ = 0;
};

}  // namespace gondwana::simulation
