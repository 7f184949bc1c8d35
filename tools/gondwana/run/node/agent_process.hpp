// The node agent of a host, as supervised by its guardian. In a job on several nodes it starts when
// the first rank joins.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/node/agent_life.hpp"
#include "run/node/known_nodes.hpp"
#include "run/node/node_events.hpp"
#include "run/node/rank_links.hpp"
#include "run/node/streams.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

class AgentProcess {
 public:
  // All arguments must outlive this object. `descriptors`: the agent's limit.
  AgentProcess(const Job& job, Poller& poller, WireUp& wire, Streams& streams,
               const rlimit& descriptors, TellEvent tell);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  // Starts the agent if it is not running.
  void need();
  // Takes addresses of nodes from the conductor.
  void take(std::vector<NodeRow> rows);
  // Tells the agent to answer the requests that have arrived, and to end.
  void release();
  // Retries sends. Call this again soon while it must wait.
  void send_again();
  bool waits() const { return waits_for_memory_; }
  // Returns false if it was another process.
  bool on_child_ended(pid_t pid, int wait_status);

 private:
  Result<void> start();
  Result<void> start_program(std::string& path);
  Result<void> watch(std::uint32_t events);
  void on_socket();
  void on_said();
  void on_ready();
  void send_job();

  Poller& poller_;
  WireUp& wire_;
  Streams& streams_;
  const rlimit& descriptors_;
  TellEvent tell_;
  pid_t pid_ = 0;  // 0: not started, or ended
  UniqueFd socket_;
  UniqueFd stderr_;  // its standard error
  AgentLife life_;
  KnownNodes nodes_;
  bool waits_for_memory_ = false;  // part of the data could not be sent yet
};

}  // namespace gondwana::launch
