// A simulated job that continues after deaths, on one host or several. The members' sides of a
// shrink are the real ones, and control memory is simulated. All ranks shrink their team several
// times, and then meet at the end, while ranks, agents, guardians, hosts and the launcher die.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "simulation/hosts.hpp"

namespace gondwana::simulation {

class SurvivingJob : public Hosts {
 public:
  SurvivingJob(std::uint64_t seed, bool logs);
  ~SurvivingJob() override;

  using Hosts::run;

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
  void start() override;

  // The hosts.
  static Node& own(HostNode& node);
  void perform(HostNode& node, const launch::NodeAction& action) override;
  void obey(HostNode& node, const launch::Frame& order) override;
  launch::RanksSeen look(HostNode& node) override;
  std::uint32_t count_living(const HostNode& node) const override;
  void kill_ranks(HostNode& node) override;
  void expect_ranks_told(HostNode& node) override;
  void take_death(Node& node, std::uint32_t rank);
  void take_decision(Node& node, const launch::Shrunk& shrunk);
  bool can_lose_ranks(const Node& node) const;

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

  // Rules.
  void expect_told(std::uint32_t rank, Time within);
  void judge(const Team& team, std::uint64_t turn, const Decision& decision);
  void judge_end() override;

  std::uint32_t turns_ = 0;  // shrinks by each rank
  launch::Job job_;
  std::vector<launch::Job> parts_;
  std::vector<std::unique_ptr<Node>> all_nodes_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::uint32_t> order_;  // of deaths, as first told
  std::map<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>, Decision> decided_;
};

}  // namespace gondwana::simulation
