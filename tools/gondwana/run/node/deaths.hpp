// Handles ranks that end. The first failed rank ends the job, unless the job continues without it.
// The error message describes its end.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/node/absences.hpp"
#include "run/node/admission.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/ending.hpp"
#include "run/node/node_end.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

// Programs that joined and have ended. The process that started them gets some time to end as well
// and to report why.
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
  // The first program whose time is over.
  const Program* overdue(std::uint64_t now) const;
  std::optional<std::uint64_t> next_ns() const;
  // Grants the process that started the rank's program a respite. Returns false if it is used up,
  // or if that process does not run.
  bool wait_longer(std::uint32_t rank, const ProcessorUse& use, std::uint64_t now);

 private:
  std::deque<Program> programs_;  // in the order of their ends
};

class Deaths {
 public:
  // All arguments must outlive this object.
  Deaths(const Job& job, std::string host, Admission& ranks, NodeEnd& end, Absences& absences,
         NodeActions& actions)
      : job_(job),
        host_(std::move(host)),
        ranks_(ranks),
        end_(end),
        absences_(absences),
        actions_(actions) {}

  void on(const RankEnded& ended, std::uint64_t now);
  void on(const RankLeft& left, std::uint64_t now);
  void on(const ProgramLost& lost, std::uint64_t now);
  void on(const StarterSeen& seen, std::uint64_t now);
  void on(const ImageLost& lost, std::uint64_t now);
  void on(const DeathsTold& told, std::uint64_t now);
  void on(const ShrinkEntry& entry, std::uint64_t now);
  void on(const WorldEntry& entry, std::uint64_t now);
  void on(const NotRestarted& failed, std::uint64_t now);
  void on(const RankArrived& arrived, std::uint64_t now);
  void on_join(std::uint32_t rank) { forget(rank); }
  void on_tick(std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

  // The rank is alive, and so is the program that joined.
  bool is_there(std::uint32_t rank) const;
  // The ranks without which the job continues, sorted; numbered in the job. Empty if there is a
  // conductor.
  const std::vector<std::uint32_t>& survived() const { return survived_; }
  // How often ranks were started again.
  std::uint32_t restarts() const { return restarts_; }

 private:
  enum class Starter : std::uint8_t { has_ended, lives };

  // Whether the job continues after the death. A process that the starter's process would run
  // beside is not started.
  bool survives(std::uint32_t rank, const Death& death, int status, bool others_can_continue,
                Starter starter);
  std::string describe_end(std::uint32_t rank, const Death& death, bool others_can_continue) const;
  void restart(std::uint32_t rank, const Death& death);
  void lose(std::uint32_t rank, std::uint32_t incarnation, int status, const std::string& sentence);
  // The conductor numbers the death, and decides whether the rank is started again.
  void report(const DeadRank& process, int status, const std::string& sentence, bool can_restart);
  void follow(const RankDeath& death);
  void settle(std::uint32_t rank, int status);
  void forget(std::uint32_t rank);
  Death death_of(std::uint32_t rank, pid_t pid, Remains remains) const;
  std::uint32_t others() const;

  const Job& job_;
  std::string host_;
  Admission& ranks_;
  NodeEnd& end_;
  Absences& absences_;
  NodeActions& actions_;
  LostPrograms programs_;
  LostPrograms images_;
  std::vector<std::uint32_t> survived_;
  int first_status_ = 0;  // of these ranks
  std::uint32_t restarts_ = 0;
};

}  // namespace gondwana::launch
