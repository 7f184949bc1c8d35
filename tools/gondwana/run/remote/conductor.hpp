// The main process of a job on several hosts. It starts a remote launcher on each, and forwards
// output, input and signals. JobOnHosts makes the decisions; the conductor reports events to it and
// performs its actions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/command_line/task.hpp"
#include "run/io/own_output.hpp"
#include "run/io/poller.hpp"
#include "run/io/process_events.hpp"
#include "run/io/standard_input.hpp"
#include "run/job.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/host_connection.hpp"
#include "run/remote/host_traces.hpp"
#include "run/remote/job_on_hosts.hpp"

namespace gondwana::launch {

class Conductor {
 public:
  // `orders`: a pipe from the launcher. Each byte is a signal to forward, and its end is the
  // launcher's end.
  Conductor(const Job& job, UniqueFd orders, Poller poller);

  // Runs the job. Returns its exit status when, as far as is known, no process of the job is left.
  int run();

 private:
  Result<void> prepare();
  Result<void> start_hosts();
  Result<void> start_host(const Host& host, Task task);
  void add_hosts(const StartHosts& start);
  void drop_hosts(std::uint32_t first);
  void on_frame(std::uint32_t node, Frame& frame, std::uint64_t now);
  void on_child_ended(pid_t pid, int wait_status);

  void handle(const HostsEvent& event);
  void perform(const HostsAction& action);
  void send(const Send& send);
  void explain(Explain how);

  void step();
  void ping_hosts();
  int next_timeout_ms() const;
  void write_trace();
  int finish();
  void end_connections();

  const Job& job_;
  Poller poller_;
  ProcessEvents events_;
  OwnOutput output_;
  StandardInput input_;
  std::vector<Job> parts_;  // the part of each host
  JobOnHosts decisions_;
  std::vector<std::unique_ptr<HostConnection>> hosts_;
  std::vector<std::unique_ptr<HostConnection>> former_;  // closed; still in use by a caller
  std::vector<Host> known_hosts_;                        // all that the job has used
  Task pattern_;                                    // the environment and the folder of all hosts
  bool stays_here_ = true;                          // the network of the job reaches no other host
  std::unordered_map<pid_t, std::uint32_t> nodes_;  // by the process that leads there
  std::vector<std::uint32_t> to_report_;            // hosts whose output has been written
  HostTraces traces_;
  std::uint64_t ping_every_ns_ = 1'000'000'000;
  std::uint64_t ping_at_ns_ = 0;
};

}  // namespace gondwana::launch
