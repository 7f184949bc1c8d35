// What could end a simulated job, as far as it has really happened, and what the user was told:
// at the end the two must agree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulation/schedule.hpp"

namespace gondwana::simulation {

// A reason for the job to end.
struct Cause {
  std::string what;        // in words, for the log
  std::set<int> status;    // one of them
  std::string begins;      // the sentence; empty: the job ends without one
  std::string ends = {};   // its end
  Time earliest = 0;       // from then on it may have been noticed by the launcher of the user
  Time latest = never;     // and then it must have been
  bool overrides = false;  // also a status that a rank ended with before

  static constexpr Time never = std::numeric_limits<Time>::max();
  bool is_told_by(const std::string& sentence) const {
    return !begins.empty() && sentence.starts_with(begins) && sentence.ends_with(ends);
  }
};

class Ledger {
 public:
  // Returns a number for withdraw().
  std::size_t add(Cause cause);
  void withdraw(std::size_t number) {
    causes_[number].earliest = causes_[number].latest = Cause::never;
  }
  // Nobody can notice it before, because the launcher is stopped.
  void delay(std::size_t number, Time until) {
    Cause& cause = causes_[number];
    if (cause.latest != Cause::never) cause.latest = std::max(cause.latest, until);
  }
  // The output cannot be written: no end, but no success either.
  void lose_output() { output_lost_ = true; }
  // A part of the job has ended with that status, in order.
  void settle(int status, Time now);
  void say(const std::string& sentence, Time now);
  // What is wrong with the end of the job, if anything.
  std::optional<std::string> judge(int status, Time now) const;

 private:
  struct Told {
    std::string sentence;
    Time at;
  };
  std::optional<std::string> judge_silence(int status, Time now) const;
  bool is_status_of(const Cause& cause, int status, Time decided) const;

  std::vector<Cause> causes_;
  std::vector<Told> told_;
  bool output_lost_ = false;
  int settled_ = 0;
  Time settled_at_ = Cause::never;
};

}  // namespace gondwana::simulation
