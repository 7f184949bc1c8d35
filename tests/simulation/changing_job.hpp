// A simulated job on one host whose ranks change: ranks ask for more, a user does, ranks leave, are
// asked to leave, die at any step and are started again. The decisions of the guardian and its
// part of shared memory are the real ones, and so are the memory, the log of deaths and the
// agreements of the ranks. Processes, messages to the guardian, signals and the clock are
// simulated.
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
#include "run/node/job_on_node.hpp"
#include "run/node/wire_up.hpp"
#include "simulation/part_report.hpp"
#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class ChangingJob {
 public:
  ChangingJob(std::uint64_t seed, bool logs);
  ChangingJob(const ChangingJob&) = delete;
  ChangingJob& operator=(const ChangingJob&) = delete;
  ~ChangingJob();

  PartReport run();

 private:
  struct Process;
  struct Team;
  struct Agreed;  // by all ranks in one update, or by the members of a team in one shrink

  void draw();
  void draw_requests();
  void start();
  void map_memory();

  // The guardian.
  void handle(const launch::NodeEvent& event);
  void perform(const launch::NodeAction& action);
  void tick();
  void start_process(std::uint32_t rank, const Session& session);
  void add_ranks(const launch::AddRanks& add);
  void start_again();
  void announce(const launch::TellDeath& death);
  void answer(std::uint32_t asker, const std::string& refusal);
  void ask_to_leave(std::uint32_t rank);
  void kill_all();
  void ask_as_user();
  void kill_launcher();

  // Processes. A step returns whether the process still lives.
  bool step(Process& process, const char* what);
  void send(Process& process, std::function<void()> message);
  void deliver(Process& process);
  void await(Process& process, std::function<bool()> done);
  void later(Process& process, Time most, std::function<void()> what);
  void wake_all();
  void die(Process& process, int wait_status);
  void end(Process& process, int wait_status);
  void join(Process& process);
  void initialize(Process& process);
  void pass_first_sync(Process& process);
  void begin_to_run(Process& process);
  void go_on(Process& process);
  void ask_for_ranks(Process& process);
  void leave_job(Process& process);
  void update(Process& process);
  void on_updated(Process& process, const Agreed& agreed);
  void pass_world_sync(Process& process);
  void shrink(Process& process);
  void on_shrunk(Process& process, const Agreed& agreed);
  void finalize(Process& process);
  void finish(Process& process);
  bool has_dead(const Team& team) const;

  // Rules.
  void expect_told(const Process& process);
  void judge(std::map<std::vector<std::uint64_t>, Agreed>& known, std::vector<std::uint64_t> which,
             const Agreed& agreed);
  void judge_number(Process& process, std::uint32_t number, std::uint64_t epoch);
  void judge_renewal(std::uint32_t rank);
  void judge_begin_of_end();
  void judge_end();
  bool may_end() const { return launcher_is_dead_ || died_early_; }
  void fail(const std::string& wrong);
  template <typename Words>
  void log(Words words);

  Random random_;
  Random faults_;
  Schedule schedule_;
  bool logs_;
  PartReport report_;
  launch::Job job_;
  std::uint64_t last_turn_ = 0;   // the update after which all ranks end
  std::uint64_t until_kill_ = 0;  // steps
  std::uint64_t kills_ = 0;       // to come
  std::optional<launch::WireUp> wire_;
  std::optional<launch::JobOnNode> guardian_;
  std::shared_ptr<NodeMemory> memory_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::map<std::uint32_t, Process*> current_;  // by rank
  std::vector<std::uint32_t> awaited_;         // ranks to be started again
  Time awaited_until_ = 0;
  std::map<std::uint32_t, bool> requests_;  // of users, by number: whether it was answered
  std::map<std::vector<std::uint64_t>, Agreed> worlds_;
  std::map<std::vector<std::uint64_t>, Agreed> teams_;
  std::map<std::uint64_t, std::set<std::uint32_t>> synced_;                  // by turn
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> epochs_;  // rank and team
  std::uint32_t numbers_ = 0;  // ranks that have had a number
  std::uint32_t restarts_ = 0;
  bool launcher_is_dead_ = false;
  bool died_early_ = false;      // before all ranks of the start ran
  bool any_ended_well_ = false;  // a rank that had finalized
  bool is_killed_late_ = false;  // a rank was that had finalized or left, or was asked to leave
  bool fails_to_start_ = false;  // new ranks do
  std::set<std::uint32_t> run_;  // ranks that have run
  bool is_over_ = false;
};

}  // namespace gondwana::simulation
