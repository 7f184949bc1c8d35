// How a job ends on a node: the event that ends it, its status and its message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/job.hpp"
#include "run/node/admission.hpp"
#include "run/node/ending.hpp"
#include "run/node/node_events.hpp"
#include "run/outcome.hpp"

namespace gondwana::launch {

class NodeEnd {
 public:
  // `job`, `ranks` and `actions` must outlive this object, which appends to `actions`.
  NodeEnd(const Job& job, std::string host, const Admission& ranks, NodeActions& actions,
          std::uint64_t now);

  // A rank or another cause ends the job with that status. The first one is the job's status.
  void settle(int status) { outcome_.settle(status); }
  // The message may be empty.
  void end_job(int status, const std::string& sentence, std::uint64_t now);
  // Also reports which ranks wait.
  void end_because(const std::string& sentence, int status, std::uint64_t now);
  // Ends the ranks of this host, without which the job continues.
  void kill(std::uint64_t now) { ending_.kill(now); }
  // Prints nothing, and gives ranks time to end by themselves first.
  void end_on_purpose(int status, std::uint64_t now);

  void on(const protocol::GlobalExit& exit, std::uint64_t now);
  void on(const SignalCame& signal, std::uint64_t now);
  void on(const EndElsewhere& elsewhere, std::uint64_t now);
  void on(const AllEnded& ended, std::uint64_t now);
  void on(const LauncherLost& lost, std::uint64_t now);
  void on(const SweeperLost& lost, std::uint64_t now);
  void on(const OutputFailed& failed, std::uint64_t now);
  void on(const Failed& failed, std::uint64_t now);
  void on(const TraceFailed& failed, std::uint64_t now);
  void on(const DescendantsSeen& seen, std::uint64_t now);
  void on_tick(std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

  const Ending& ending() const { return ending_; }
  bool is_idle() const { return ending_.is_idle(); }
  const Outcome& outcome() const { return outcome_; }
  bool has_failed_elsewhere() const { return failed_elsewhere_; }

 private:
  void announce(int status, const std::string& sentence);
  void report_at(int signal);
  bool must_serve_others() const;
  bool will_start_ranks() const;

  const Job& job_;
  std::string host_;
  const Admission& ranks_;
  NodeActions& actions_;
  Ending ending_;
  std::optional<std::uint64_t> time_up_ns_;
  Outcome outcome_;
  bool failed_elsewhere_ = false;
  bool has_told_end_ = false;    // of all ranks of this host
  bool have_all_ended_ = false;  // on all hosts
};

}  // namespace gondwana::launch
