// A simulated host of a job: its guardian, whose decisions are the real ones, its ranks and its
// agent.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/io/heard_signals.hpp"
#include "run/node/agent_life.hpp"
#include "run/node/job_on_node.hpp"
#include "run/remote/frames.hpp"
#include "simulation/channel.hpp"
#include "simulation/loop.hpp"
#include "simulation/node_rules.hpp"
#include "simulation/process.hpp"
#include "simulation/rank.hpp"

namespace gondwana::simulation {

class World;

class Node {
 public:
  // The connection to a conductor.
  struct Uplink {
    Channel* up = nullptr;  // null: there is no conductor
    Channel* down = nullptr;
    std::function<void(int wait_status)> on_end;  // of the remote launcher
  };

  Node(World& world, std::uint32_t number, launch::Job job, Uplink uplink);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void start();

  std::uint32_t number() const { return number_; }
  std::string name() const { return name_of_host(number_); }
  bool is_over() const { return over_; }
  bool is_ending() const { return !decisions_.end().is_idle(); }
  std::vector<std::unique_ptr<Rank>>& ranks() { return ranks_; }
  const std::vector<std::unique_ptr<Rank>>& ranks() const { return ranks_; }
  std::string describe_left() const;

  // Of a rank.
  void tell(std::uint32_t rank, protocol::GlobalExit exit);
  void tell_join(std::uint32_t rank);
  void tell_leaving();
  void on_rank_died(std::uint32_t rank);
  void on_program_died(std::uint32_t rank);
  void on_image_lost(std::uint32_t rank);
  Process& add_process(Process::Nature nature, bool is_child);

  // Faults.
  void signal(int number, launch::HeardSignals::Way way);
  void expect_signal(int number) { ++signals_[number].sent; }  // to this host alone
  void signal_all(int number);
  void kill_guardian();
  void kill_sweeper();
  void kill_agent();
  void power_off();
  void stop_guardian(Time time);
  void lose_output(int reason);
  void lose_launcher();
  void fail_descriptor();
  void freeze(Time time);

 private:
  struct Said {
    pid_t join;  // of a program that asks to join; 0: it ends the job
    protocol::GlobalExit exit;
  };

  void handle(const launch::NodeEvent& event);
  void count(const launch::SignalCame& signal);
  void check_grace(int signal);
  void look_at(const launch::NodeEvent& event, const NodeBefore& before,
               const launch::NodeActions& actions);
  void check_truth(const std::string& sentence, const launch::NodeEvent& event);
  void perform(const launch::NodeAction& action);
  void perform_look_for_deadlock();
  void end_on_purpose(int status);
  launch::DescendantsSeen look_at_descendants();
  void step();
  std::optional<Time> next() const;
  void finish();
  void check_left();

  void tell(const launch::Frame& frame);
  void say(const std::string& sentence);
  void say_at_end();
  void demand(const std::string& begins);
  std::string judge_absence() const;
  void read_frames();
  void on_frame(const launch::Frame& frame);
  void take(const launch::NodeRows& update);
  void lose(const std::string& sentence);
  void read_rank(std::uint32_t rank);
  void reap_rank(std::uint32_t rank);
  void look_at_image(std::uint32_t rank);
  void start_ranks();
  void need_agent();
  void release_agent();
  void expect_end();
  void expect_end_despite_shell(const Rank& rank);

  World& world_;
  std::uint32_t number_;
  launch::Job job_;
  Uplink uplink_;
  Random random_;
  launch::JobOnNode decisions_;
  NodeRules rules_;
  Loop loop_;
  launch::HeardSignals heard_signals_;
  launch::FrameParser parser_;
  bool link_open_ = true;
  Time heard_ns_;
  std::uint64_t epoch_ = 0;  // of the rows of all nodes; 0: they are not known
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::deque<Said>> sockets_;  // what ranks have said
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Process*> found_;  // by the last look
  Process* agent_ = nullptr;
  bool agent_killed_ = false;
  bool sweeper_killed_ = false;
  launch::AgentLife agent_life_;
  std::optional<int> output_failure_;
  std::uint64_t still_at_ = ~std::uint64_t{0};
  Time paused_ns_ = 0;  // in all pauses by faults, also until the end of the last
  Time paused_until_ = 0;
  struct Signals {
    std::uint32_t sent = 0;
    std::uint32_t counted = 0;
  };
  std::map<int, Signals> signals_;
  std::optional<Time> asked_at_;  // to end: all ranks, for the first time
  bool is_asked_again_ = false;   // by a second signal: it kills at once
  bool kills_ = false;
  Time agent_lost_at_ = 0;
  std::optional<Time> end_by_;     // at the latest, without later pauses
  Time paused_before_end_ns_ = 0;  // what of `paused_ns_` was before the end began
  bool over_ = false;
};

}  // namespace gondwana::simulation
