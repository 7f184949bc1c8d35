// Ranks of a node that end: the first that dies ends the job, and the sentence says how it was.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "run/node/absences.hpp"
#include "run/node/admission.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/ending.hpp"
#include "run/node/node_end.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

// Programs that joined and are gone. What started them has some time to end as well and to tell
// why.
class LostPrograms {
 public:
  struct Program {
    std::uint32_t rank;
    pid_t pid;
    Remains remains;
    std::uint64_t due_ns;
    std::optional<Respite> respite = {};
  };

  void add(std::uint32_t rank, pid_t pid, Remains remains, std::uint64_t now);
  void forget(std::uint32_t rank);
  const Program* find(std::uint32_t rank) const;
  // The first, if its time is over.
  const Program* overdue(std::uint64_t now) const;
  std::optional<std::uint64_t> next_ns() const;
  // Gives what started the program of the rank a respite. False: it has used it up, or does not
  // run.
  bool wait_longer(std::uint32_t rank, const ProcessorUse& use, std::uint64_t now);

 private:
  std::deque<Program> programs_;  // in the order in which they ended
};

class Deaths {
 public:
  // All must outlive this.
  Deaths(std::string host, Admission& ranks, NodeEnd& end, Absences& absences, NodeActions& actions)
      : host_(std::move(host)), ranks_(ranks), end_(end), absences_(absences), actions_(actions) {}

  void on(const RankEnded& ended, std::uint64_t now);
  void on(const ProgramLost& lost, std::uint64_t now);
  void on(const StarterSeen& seen, std::uint64_t now);
  void on(const ImageLost& lost, std::uint64_t now);
  void on_join(std::uint32_t rank) { forget(rank); }
  void on_tick(std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

  // The rank lives, and the program that joined, too.
  bool is_there(std::uint32_t rank) const;

 private:
  void forget(std::uint32_t rank);
  Death death_of(std::uint32_t rank, pid_t pid, Remains remains) const;
  std::uint32_t others() const;

  std::string host_;
  Admission& ranks_;
  NodeEnd& end_;
  Absences& absences_;
  NodeActions& actions_;
  LostPrograms programs_;
  LostPrograms images_;
};

}  // namespace gondwana::launch
