// The parent of the ranks of one host: starts them, carries their output, wires them up, and ends
// them. JobOnNode decides; this tells it what happens, and does what it says.
//
// Ranks are counted from 0 on this host, except where users see their numbers.
#pragma once

#include <cstdint>

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
#include "run/node/streams.hpp"
#include "run/node/sweeper.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

class Guardian {
 public:
  // `orders`: a pipe from the launcher; each byte is a signal to forward, its end is the
  // launcher's.
  // `sweeper`: to be told of the ranks.
  Guardian(const Job& job, SweeperLink sweeper, UniqueFd orders, Poller poller);

  // Runs the job; returns its exit status once nobody of it is left.
  int run();

 private:
  Result<void> watch_processes();
  Result<void> listen_to_conductor();
  Result<void> start_ranks();
  Result<void> start_rank_of(const Program& program, EnvironmentBlock& environment,
                             std::uint32_t rank);
  void on_child_ended(pid_t pid, int wait_status);
  void on_rank_ended(std::uint32_t rank, int wait_status);
  void on_end_elsewhere(const End& end);

  void handle(const NodeEvent& event);
  void handle_at(const NodeEvent& event, std::uint64_t now);
  void perform(const NodeAction& action);
  void say(Report report);
  void signal_ranks(int signal) const;
  void ask_ranks() const;
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
};

}  // namespace gondwana::launch
