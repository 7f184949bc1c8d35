// A simulated job on one host or several whose ranks change: ranks ask for more, a user does, ranks
// leave, are asked to leave, die at any step and are started again. The decisions of conductor and
// guardians and the guardians' parts of shared memory are the real ones, and so are the memory, the
// log of deaths and the ranks' sides of agreements. Processes, messages to the guardian, signals
// and the clock are simulated.
//
// All ranks update their world again and again, now and then make a team of its members, and end
// after the same update.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory/node_memory.hpp"
#include "run/node/wire_up.hpp"
#include "simulation/hosts.hpp"

namespace gondwana::simulation {

class ChangingJob : public Hosts {
 public:
  ChangingJob(std::uint64_t seed, bool logs);
  ~ChangingJob() override;

 private:
  struct Process;
  struct Node;
  struct Team;
  struct Agreed;  // by all ranks in one update, or by the members of a team in one shrink

  void draw();
  void draw_requests();
  void start() override;

  // The guardians.
  static Node& own(HostNode& node);
  void perform(HostNode& node, const launch::NodeAction& action) override;
  void obey(HostNode& node, const launch::Frame& order) override;
  void obey_deaths(Node& node, const launch::DeadRanks& dead);
  void obey_growth(Node& node, const launch::Frame& order);
  launch::RanksSeen look(HostNode& node) override;
  std::uint32_t count_living(const HostNode& node) const override;
  void kill_ranks(HostNode& node) override;
  Node& add_node(const launch::Job& part);
  void start_node(Node& node);
  void start_ranks(Node& node);
  void add_hosts(const launch::StartHosts& start) override;
  void reach(Node& node);
  std::string contact_of(const HostNode& node) const override;
  void start_process(Node& node, std::uint32_t rank, const Session& session);
  void add_ranks(Node& node, const launch::AddRanks& add);
  static bool is_own(const Node& node, const DeadRank& process);
  bool can_lose(const Node& node, const launch::DeadRanks& dead) const;
  void start_again(Node& node);
  void announce(Node& node, const launch::TellDeath& death);
  void announce_replacement(Node& node, const launch::RankRuns& runs);
  void answer(Node& node, const launch::Answer& answer);
  void ask_to_leave(Node& node, std::uint32_t slot);
  void ask_as_user();

  // Processes. A step returns whether the process still lives.
  bool step(Process& process, const char* what);
  void harm(Process& process);
  void harm(Node& node, std::uint64_t kind);
  bool have_all_run() const;
  static bool is_unwanted(const Process& process);
  void send(Process& process, std::function<void()> message);
  void deliver(Process& process);
  void await(Process& process, std::function<bool()> done);
  void later(Process& process, Time most, std::function<void()> what);
  void wake_all();
  void die(Process& process, int wait_status);
  void end(Process& process, int wait_status);
  void join(Process& process);
  void initialize(Process& process);
  void meet_session(Process& process);
  void pass_first_sync(Process& process);
  void begin_to_run(Process& process);
  void tell_arrival(Process& process);
  void go_on(Process& process);
  void ask_for_ranks(Process& process);
  bool has_begun(const Node& node, std::uint32_t rank) const;
  void leave_job(Process& process);
  void update(Process& process);
  template <typename Update>
  bool has_updated(Process& process, Update& update);
  std::uint64_t turn_of(const Process& process) const;
  void on_updated(Process& process, const Agreed& agreed);
  void pass_world_sync(Process& process);
  void agree_on_living(Process& process, const NumberOffer& offer,
                       std::function<void(const Agreed&)> then);
  void shrink(Process& process);
  void on_shrunk(Process& process, const Agreed& agreed);
  void finalize(Process& process);
  void finish(Process& process);
  bool has_dead(const Process& process) const;

  // Rules.
  void expect_told(const Process& process, Time within);
  void expect_ranks_told(HostNode& node) override;
  void expect_answer(const Node& node, std::uint32_t request);
  void on_heard(HostNode& node, const launch::Frame& frame) override;
  void on_sent(const launch::Send& send) override;
  void judge_changes(const launch::DeadRanks& changes);
  void judge_change(std::uint32_t number, const RankDeath& change);
  void judge_part(const launch::Job& part);
  void judge_run(const launch::RankRuns& runs);
  void judge_place(const Process& process, std::uint32_t rank);
  Process* find(const DeadRank& process) const;
  std::uint32_t starts_of(std::uint32_t rank, std::uint32_t changes) const;
  bool is_counted(const Process& process) const;
  void judge_world(const WorldDecision& decision);
  void judge_all_ended();
  void judge(std::map<std::vector<std::uint64_t>, Agreed>& known, std::vector<std::uint64_t> which,
             const Agreed& agreed);
  void judge_members(const Process& process, const Agreed& agreed);
  void judge_number(Process& process, std::uint32_t number, std::uint64_t epoch);
  void judge_renewal(const Node& node, std::uint32_t rank);
  void on_end_begins(HostNode& node) override;
  void judge_end_of_job();
  void judge_end() override;
  bool may_end() const { return launcher_is_dead_ || died_early_; }

  Random faults_;
  launch::Job job_;
  std::vector<launch::Job> parts_;  // of the hosts of the start
  std::uint64_t last_turn_ = 0;     // the update after which all ranks end
  std::uint64_t until_kill_ = 0;    // steps
  std::uint64_t kills_ = 0;         // to come
  std::vector<std::unique_ptr<Node>> all_nodes_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::map<std::uint32_t, Process*> current_;   // by rank
  std::map<std::uint32_t, bool> requests_;      // of users, by number: whether it was answered
  std::map<std::uint32_t, RankDeath> changes_;  // by number, as the conductor has numbered them
  std::uint32_t last_change_ = 0;
  std::uint32_t last_changes_ = 0;  // the first of those that were numbered together
  std::uint64_t last_decided_ = 0;  // the last update on which the conductor has decided
  std::set<std::pair<std::uint32_t, std::uint32_t>> entered_;  // the update after it
  std::map<std::vector<std::uint64_t>, Agreed> worlds_;
  std::map<std::vector<std::uint64_t>, Agreed> teams_;
  std::map<std::uint64_t, std::set<std::uint32_t>> synced_;                  // by turn
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> epochs_;  // rank and team
  std::uint32_t numbers_ = 0;  // ranks that have had a number
  std::uint32_t restarts_ = 0;
  std::uint32_t replaced_ = 0;   // deaths
  bool have_all_ended_ = false;  // all ranks, as the conductor says
  bool died_early_ = false;      // before all ranks of the start ran
  bool any_ended_well_ = false;  // a rank that had finalized
  bool is_killed_late_ = false;  // a rank was that had finalized or left, or was asked to leave
  bool is_host_lost_ = false;    // or an agent or a connection
  bool fails_to_start_ = false;  // new ranks do
  std::set<std::uint32_t> run_;  // ranks that have run
};

}  // namespace gondwana::simulation
