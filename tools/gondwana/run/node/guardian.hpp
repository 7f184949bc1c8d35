// The parent of the ranks on one host: starts them, forwards their output, connects them, and ends
// them. JobOnNode makes the decisions; the guardian reports events to it and performs its actions.
//
// Ranks are counted from 0 on this host, except in messages to users.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/io/process_events.hpp"
#include "run/job.hpp"
#include "run/node/agent_process.hpp"
#include "run/node/descendants.hpp"
#include "run/node/inspector.hpp"
#include "run/node/job_on_node.hpp"
#include "run/node/rank_links.hpp"
#include "run/node/rank_starter.hpp"
#include "run/node/request_desk.hpp"
#include "run/node/streams.hpp"
#include "run/node/sweeper.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

class Guardian {
 public:
  // `orders`: a pipe from the launcher. Each byte is a signal to forward, and its end is the
  // launcher's end. `sweeper` is informed about the ranks.
  Guardian(const Job& job, SweeperLink sweeper, UniqueFd orders, Poller poller);

  // Runs the job. Returns its exit status once no process of it is left.
  int run();

 private:
  Result<void> watch_processes();
  Result<void> start_ranks();
  Result<void> start_session(const Program& program, const Session& session);
  void add_ranks(const AddRanks& add);
  Result<void> start_rank_of(const Program& program, EnvironmentBlock& environment,
                             std::uint32_t rank);
  void on_child_ended(pid_t pid, int wait_status);
  void on_rank_ended(std::uint32_t rank, int wait_status);
  void on_order(Frame& order);
  void on_growth(Frame& order);
  bool is_own(const DeadRank& process) const;
  void start_late_ranks();
  bool can_lose(const DeadRanks& dead) const;
  void on_request(std::uint32_t asker, link::JobRequest request);
  void answer(std::uint32_t asker, const Result<std::uint32_t>& first);
  void on_other_host_end(const End& end);

  void handle(const NodeEvent& event);
  void handle_at(const NodeEvent& event, std::uint64_t now);
  void perform(const NodeAction& action);
  void say(Report report);
  void signal_ranks(int signal) const;
  void signal_rank(std::uint32_t rank, int signal) const;
  void signal_programs(int signal) const;
  void ask_ranks() const;
  void announce_death(const TellDeath& death);
  // Starts processes in the place of dead ones.
  void start_again();
  Result<void> start_again(std::uint32_t rank);
  void announce_purposeful_end(int status);

  void step();
  int next_timeout_ms() const;
  int finish();
  void report_end(int status);

  const Job& job_;
  SweeperLink sweeper_;
  Poller poller_;
  ProcessEvents events_;
  Streams streams_;
  WireUp wire_;
  JobOnNode decisions_;
  RankStarter starter_;
  RankLinks links_;
  AgentProcess agent_;
  Descendants descendants_;
  Inspector inspector_;
  RequestDesk desk_;
  std::vector<std::uint32_t> awaited_;  // to be started again
  std::uint64_t awaited_until_ns_ = 0;  // even if a rank does not notice the death
};

}  // namespace gondwana::launch
