// The front of a job of several hosts: starts a remote launcher on each, carries output, input and
// signals, hands round the infos of the nodes, notices the first host that fails or falls silent,
// and ends all others when that happens, when it is told to, or when the launcher is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "observe/trace/node_trace.hpp"
#include "run/io/own_output.hpp"
#include "run/io/poller.hpp"
#include "run/io/process_events.hpp"
#include "run/io/standard_input.hpp"
#include "run/job.hpp"
#include "run/node/descendants.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/host_connection.hpp"

namespace gondwana::launch {

class Conductor {
 public:
  // `orders`: a pipe from the launcher; each byte is a signal to forward, its end is the
  // launcher's.
  Conductor(const Job& job, UniqueFd orders, Poller poller);

  // Runs the job; returns its exit status once nobody of it is left, as far as can be known.
  int run();

 private:
  struct HostRecord {
    std::unique_ptr<HostConnection> connection;
    std::optional<std::string> info;
    std::uint64_t written = 0;    // bytes of its output, not yet told to be taken
    std::string trace_part = {};  // what has come of some ranks
    std::optional<trace::NodeTrace> trace = {};
    // By the fastest of our pings.
    std::int64_t ahead_ns = 0;  // of our clock
    std::optional<std::int64_t> error_ns = {};
    int pongs = 0;
  };

  // Start, in this order.
  Result<void> prepare();
  Result<void> watch_processes();
  Result<void> start_hosts();
  Result<void> start_host(const Host& host, Task task);

  // What can happen.
  void on_signal(int signal);
  void say_why(std::uint64_t longest_ns);
  void on_launcher_lost();
  void on_frame(HostConnection& host, Frame& frame);
  void on_hello(HostConnection& host);
  void on_node_info(HostConnection& host, std::string info);
  void on_pong(HostConnection& host, const Pong& pong);
  void on_stopping(const Stopping& stopping);
  void on_ended(HostConnection& host, std::uint32_t status);
  void on_time_up();
  void on_output_failed(int reason);

  void step();
  void ping_hosts();
  void abandon_silent_hosts();
  void step_host(HostRecord& record);
  int next_timeout_ms() const;
  bool is_over() const;
  void send_to_all(const Frame& frame);
  void settle(int status);
  void end_job(int status, const std::string& sentence);
  void end_hosts(const End& end);
  // Of a job that was traced, when its hosts have ended.
  void on_trace(HostRecord& record, const TracePart& part);
  void write_trace();
  int finish();
  void bury_processes();

  const Job& job_;
  Poller poller_;
  ProcessEvents events_;
  OwnOutput output_;
  StandardInput input_;
  std::vector<Job> parts_;  // of each host
  std::vector<HostRecord> hosts_;
  std::uint64_t ping_every_ns_ = 1'000'000'000;
  std::uint64_t ping_at_ns_ = 0;
  std::optional<std::uint64_t> time_up_ns_;
  std::optional<std::uint64_t> abandon_at_ns_;
  std::optional<int> status_;
  bool ending_ = false;
  bool launcher_lost_ = false;
  bool output_lost_ = false;
  bool abandon_output_ = false;
};

}  // namespace gondwana::launch
