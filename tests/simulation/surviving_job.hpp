// A simulated job that continues after deaths, on one host or several. The decisions of conductor
// and guardians are the real ones, and so are the frames between hosts and the members' sides of a
// shrink. Processes, connections, control memory and the clock are simulated. All ranks shrink
// their team several times, and then meet at the end, while ranks, agents, guardians, hosts and the
// launcher die.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/node/job_on_node.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/job_on_hosts.hpp"
#include "simulation/part_report.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class SurvivingJob {
 public:
  SurvivingJob(std::uint64_t seed, bool logs);
  SurvivingJob(const SurvivingJob&) = delete;
  SurvivingJob& operator=(const SurvivingJob&) = delete;
  ~SurvivingJob();

  PartReport run();

 private:
  struct Rank;
  struct Node;
  struct Members;
  struct Team;

  // What the members of a team have decided.
  struct Decision {
    std::uint32_t deaths;
    std::uint64_t numbers;
    std::uint64_t epoch;
    bool operator==(const Decision&) const = default;
  };

  void draw();
  void draw_faults(Time from);
  void start();
  Time latency() { return random_.skewed(latency_); }

  // The hosts.
  void handle(Node& node, const launch::NodeEvent& event);
  void perform(Node& node, const launch::NodeAction& action);
  void tick(Node& node);
  void take_death(Node& node, std::uint32_t rank);
  void take_decision(Node& node, const launch::Shrunk& shrunk);
  void kill_ranks(Node& node);
  bool can_lose_ranks(const Node& node) const;
  void finish(Node& node);

  // Between them.
  void tell_conductor(Node& node, const launch::Frame& frame);
  void tell_node(Node& node, const launch::Frame& frame);
  void on_frame(Node& node, const launch::Frame& frame);
  void tell_later(Time& last, std::function<void()> what);
  void handle(const launch::HostsEvent& event);
  void perform(const launch::HostsAction& action);
  void tick_conductor();

  // The ranks.
  void run(Rank& rank);
  void begin_shrink(Rank& rank);
  void enter(Rank& rank, std::uint64_t numbers, std::uint64_t epoch);
  void poll(Rank& rank);
  void on_decided(Rank& rank, const Decision& decision, std::vector<std::uint32_t> living);
  void make_team(Rank& rank, const Decision& decision, const std::vector<std::uint32_t>& living);
  void leave(Rank& rank);
  void wake(Node& node);
  bool is_on_one_node(const Team& team) const;

  // Faults.
  void die(Rank& rank, Time told_within);
  void kill_agent(Node& node);
  void kill_guardian(Node& node);
  void power_off(Node& node);
  void cut(Node& node);
  void kill_launcher();

  // Rules.
  void expect_told(std::uint32_t rank, Time within);
  void judge(const Team& team, std::uint64_t turn, const Decision& decision);
  void judge_end();
  bool is_ending() const { return ends_ || launcher_killed_; }
  void fail(const std::string& wrong);
  template <typename Words>
  void log(Words words);

  Random random_;
  Schedule schedule_;
  bool logs_;
  PartReport report_;
  Time latency_ = 0;
  std::uint32_t turns_ = 0;  // shrinks by each rank
  launch::Job job_;
  std::vector<launch::Job> parts_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::optional<launch::JobOnHosts> conductor_;
  std::vector<std::uint32_t> order_;  // of deaths, as first told
  std::map<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>, Decision> decided_;
  bool ends_ = false;  // a death has ended the job
  bool launcher_killed_ = false;
};

}  // namespace gondwana::simulation
