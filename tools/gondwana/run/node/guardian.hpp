// The parent of the ranks of one host: starts them, carries their output, wires them up, notices
// the first that dies, and ends everybody when that happens, when it is told to, or when the
// launcher is gone.
//
// Ranks are counted from 0 on this host, except where users see their numbers.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/exit_status.hpp"
#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "memory/stillness.hpp"
#include "observe/trace/node_trace.hpp"
#include "run/io/job_output.hpp"
#include "run/io/own_output.hpp"
#include "run/io/poller.hpp"
#include "run/io/process_events.hpp"
#include "run/io/rank_input.hpp"
#include "run/io/standard_input.hpp"
#include "run/job.hpp"
#include "run/node/absentees.hpp"
#include "run/node/agent_record.hpp"
#include "run/node/binding.hpp"
#include "run/node/descendants.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/oom_watch.hpp"
#include "run/node/program_watch.hpp"
#include "run/node/rank_process.hpp"
#include "run/node/sweeper.hpp"
#include "run/node/wire_up.hpp"
#include "run/remote/frames.hpp"
#include "run/remote/uplink.hpp"

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
  struct RankRecord {
    pid_t pid = 0;
    pid_t program = 0;  // that joined: this process or one below
    bool alive = false;
    UniqueFd socket;
    bool is_replaced = false;  // by another program, while it took part
  };

  // Start, in this order.
  Result<void> prepare();
  Result<void> watch_processes();
  Result<void> start_ranks();
  Result<void> start_rank_of(const Program& program, EnvironmentBlock& environment,
                             std::uint32_t rank);
  void on_rank_started(const Program& program, std::uint32_t rank, pid_t pid);
  Result<UniqueFd> open_output(std::uint32_t rank, Standard which);
  Result<UniqueFd> open_input(std::uint32_t rank);
  Result<UniqueFd> open_join_socket(std::uint32_t rank);
  void report_binding(std::uint32_t rank);

  // The node agent, in guardian_agent.cpp.
  void need_agent();
  Result<void> start_agent();
  Result<void> watch_agent(std::uint32_t events);
  void on_agent_socket();
  void on_agent_said();
  void pass_on(std::string_view complaint);
  void send_job_to_agent();
  void on_all_nodes(const std::vector<std::string>& infos);
  void release_agent();
  void on_agent_ended(int wait_status);
  void look_for_lost_agent();
  std::string describe_fault_of_ucx(int wait_status) const;

  // What can happen.
  void on_signal(int signal);
  // Sent to a process of this host, not passed on by the conductor.
  void on_signal_here(int signal);
  void on_sweeper_lost();
  void on_question();
  void on_end_elsewhere(const End& end);
  void on_launcher_lost(const std::string& sentence);
  void on_child_ended(pid_t pid, int wait_status);
  void on_rank_ended(std::uint32_t rank, int wait_status);
  void on_socket(std::uint32_t rank);
  // `end` tells of the end of the program that asked; it may be missing.
  void on_join(std::uint32_t rank, const protocol::Join& join, UniqueFd end);
  void on_program_lost(const ProgramWatch::Ended& program);
  void on_image_end(const ProgramWatch::Ended& program);
  void on_image_lost(const ProgramWatch::Ended& program);
  void on_absent(std::uint32_t rank);
  // Ends the job where a rank waits for another that has ended and took no part.
  void look_for_absentees();
  // A rank finalizes, or has ended after it did.
  void on_leaving();
  // Ends the job where ranks wait for one that ends, and that for them.
  void look_for_deadlock();
  void hear_of_deadlock();
  void on_time_up();
  void on_output_failed(int reason);

  void send_job(std::uint32_t rank);
  void close_socket(std::uint32_t rank);
  void signal_ranks(int signal) const;
  std::vector<Survivor> survivors() const;
  bool all_have_finalized() const;  // that live

  void step();
  int next_timeout_ms() const;
  std::uint32_t global(std::uint32_t rank) const { return index(job_.node_ranks()[rank]); }
  // How many ranks of all hosts are thought to live.
  std::uint32_t all_alive() const { return alive_ + job_.share.total - job_.ranks(); }

  void settle(int status);
  // The sentence may be empty.
  void announce_end(int status, const std::string& sentence);
  void end_job(int status, const std::string& sentence = "");
  // Without a word, after ranks have had the time to end by themselves.
  void end_on_purpose(int status);
  void end_ranks_on_purpose(int status);
  // Says the sentence and which ranks wait.
  void end_job_because(const std::string& sentence, int status);
  // Which ranks wait, and in what; those that do not are named where some do.
  void say_who_waits();
  void say_where_ranks_are();
  void say_why();
  // In a second. Nothing where another signal has come meanwhile.
  void say_why_at_once();
  void say_who_took_no_part();
  // Programs of other runtimes, of which each rank was a job of its own.
  void say_what_was_no_job();
  void fail(const Error& error, int status = exit_failure);
  int finish();
  void report_end(int status);
  // Of a job that was traced, in guardian_trace.cpp.
  void deliver_trace();
  Result<trace::NodeTrace> read_trace();
  void send_trace(const trace::NodeTrace& node);

  const Job& job_;
  SweeperLink sweeper_;
  pid_t sweeper_pid_;
  Poller poller_;
  ProcessEvents events_;
  rlimit descriptors_{};                   // what the ranks get back
  std::unique_ptr<Uplink> uplink_;         // of a remote launcher
  std::unique_ptr<OwnOutput> own_output_;  // of all others
  JobOutput output_;
  StandardInput terminal_;
  RankInput input_;
  WireUp wire_;
  AgentRecord agent_;
  ProgramWatch programs_;
  ProgramWatch images_;  // that they are still the programs that joined
  Absentees absentees_;
  Deadlock deadlock_;
  OomWatch oom_;
  Ending ending_;
  std::vector<Place> places_;
  std::vector<RankRecord> ranks_;
  std::unordered_map<pid_t, std::uint32_t> rank_of_;
  std::vector<std::uint32_t> send_later_;
  std::uint32_t alive_ = 0;
  std::optional<std::uint64_t> time_up_ns_;
  std::optional<int> status_;
  bool failed_elsewhere_ = false;
  bool launcher_lost_ = false;
  bool output_lost_ = false;
  bool abandon_output_ = false;
};

}  // namespace gondwana::launch
