// A whole job in one thread: the decisions are the real ones, and so are the frames between hosts;
// processes, connections and the clock are simulated.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/remote/frames.hpp"
#include "simulation/information.hpp"
#include "simulation/ledger.hpp"
#include "simulation/plan.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class Front;
class Node;

// Between the conductor and all hosts.
struct Traffic {
  Time at = 0;
  std::uint64_t sent = 0;  // frames
  std::uint64_t received = 0;
  std::uint64_t bytes = 0;
};

// Rows of nodes that a host is told.
struct RowsSeen {
  std::size_t nodes = 0;
  std::uint64_t lowest_epoch = 0;
  std::uint64_t highest_epoch = 0;
};

// How a run went.
struct Report {
  std::string wrong;  // empty: all was right
  int status = 0;
  Time time = 0;        // virtual
  Traffic to_start;     // until all ranks have joined
  Traffic to_finalize;  // until all ranks have called finalize
  Traffic to_fault;     // until the first one
  Traffic to_end;
  std::uint64_t trace = 0;       // a hash of all events in order
  std::vector<std::string> log;  // events in words, if they were asked for
};

class World {
 public:
  World(const Plan& plan, bool logs);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  Report run();

  const Plan& plan() const { return plan_; }
  Schedule& schedule() { return schedule_; }
  Time now() const { return schedule_.now(); }
  Ledger& ledger() { return ledger_; }
  Random random() { return {plan_.seed, 100 + ++streams_}; }
  pid_t new_pid() { return ++last_pid_; }
  template <typename Words>  // which are not made unless the log is wanted
  void log(Words words) {
    if (logs_) add_to_log(words());
  }
  // The first thing that is wrong ends the run.
  void fail(const std::string& wrong);

  // What the user reads: why the job ends, or an information.
  void say(const std::string& sentence);
  // An information that begins so may be told, and must have been.
  void allow(const std::string& begins) { information_.allow(begins); }
  void demand(const std::string& begins);
  void end(int status);  // of the user's command

  // What all hosts get is read once.
  const launch::Frame& read(const std::shared_ptr<const std::string>& frame, std::uint64_t tag);
  RowsSeen look_at(const launch::NodeRows& update);

  // How often that signal was sent to all hosts.
  std::uint32_t count_of(int signal) const {
    const auto found = signals_.find(signal);
    return found == signals_.end() ? 0 : found->second;
  }

  // What ranks tell each other.
  void on_rank_joined();
  void on_node_knows_all();
  void on_rank_finalizes();
  bool have_all_finalized() const { return finalized_ == ranks_; }
  void on_progress() { ++progress_; }
  // No rank of the job can go on, and none has since the last look.
  bool is_still(std::uint64_t& looked_at) const;
  bool any_leaves() const;
  // A node has no agent any more: the others notice.
  void on_agent_gone(const Node& node, Time later);
  // A rank that the sentence names has ended and has not taken part.
  bool has_absent_rank(const std::string& sentence) const;
  bool is_network_whole() const { return whole_; }

  std::vector<std::unique_ptr<Node>>& nodes() { return nodes_; }
  // The user's command runs on this host, with or without a conductor.
  void add_node(std::unique_ptr<Node> node);

 private:
  void add_to_log(const std::string& words);
  void try_start();
  Traffic traffic() const;
  void plan_faults();
  void commit(const Fault& fault);
  void signal_job(int number);
  void plan_last_resort();
  bool is_done() const;
  std::string describe_left() const;

  Plan plan_;
  std::uint32_t ranks_;
  bool logs_;
  Schedule schedule_;
  std::uint64_t streams_ = 0;
  pid_t last_pid_ = 1000;
  std::string last_words_;  // of the log
  std::uint64_t repeats_ = 0;
  Ledger ledger_;
  Information information_;
  Report report_;
  std::unique_ptr<Front> front_;  // nothing: there is no conductor
  std::vector<std::unique_ptr<Node>> nodes_;
  std::size_t joined_ = 0;   // ranks
  std::size_t knowing_ = 0;  // nodes that know all
  std::uint32_t finalized_ = 0;
  std::shared_ptr<const std::string> frame_;  // the last that was shared
  launch::Frame content_;                     // its content
  std::optional<RowsSeen> rows_;              // the rows in it
  std::uint64_t progress_ = 0;
  bool whole_ = true;
  std::map<int, std::uint32_t> signals_;  // that were sent to all hosts
  bool launcher_killed_ = false;
  bool resorted_ = false;  // to a TERM of the user
  std::optional<int> status_;
};

}  // namespace gondwana::simulation
