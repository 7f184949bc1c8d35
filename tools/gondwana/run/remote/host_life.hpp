// The life of one host in a job: whether it is reachable, and the single rule for its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gondwana::launch {

struct HostFacts {
  std::string name;
  std::string way;                   // the process that leads there: "ssh", "srun", "its launcher"
  bool by_ssh = false;               // whether the process is ssh
  std::uint32_t peer_timeout_s = 0;  // how long it may be silent; 0: no limit
  std::uint32_t start_limit_s = 0;   // the limit before its Hello
};

// The current state of the connection.
struct HostSeen {
  std::uint32_t node;
  std::uint64_t heard_ns;  // when data last arrived
  bool has_unread = false;
  std::string error_text = {};  // standard error of the process that connects to the host
};

// No process of the job is left there, or the host cannot be reached. If its message is not empty,
// it ends the job. `consequence` ends the message of a host that had said Hello; a job that
// continues has another consequence.
struct HostEnd {
  int status = 0;
  std::string sentence = {};
  std::string consequence = {};
  bool is_silent = false;
};

class HostLife {
 public:
  HostLife(HostFacts facts, std::uint64_t now) : facts_(std::move(facts)), heard_ns_(now) {}

  const std::string& name() const { return facts_.name; }
  void say_hello() { hello_ = true; }
  bool has_said_hello() const { return hello_; }
  void end() { over_ = true; }
  bool is_over() const { return over_; }

  // The pipe and the process end together; the second may end `time_ns` later. `why`: the data
  // could not be parsed.
  void on_pipe_ended(std::string why, std::uint64_t time_ns, std::uint64_t now);
  void on_process_ended(int wait_status, std::uint64_t time_ns, std::uint64_t now);
  // The time of the next call of look().
  std::optional<std::uint64_t> next_ns() const;
  // The end of a lost host: the connection ended early, or the host is silent.
  std::optional<HostEnd> look(const HostSeen& seen, std::uint64_t now);

 private:
  std::uint64_t ended_at_ns() const;
  std::uint64_t silent_at_ns() const;
  std::uint32_t silence_limit_s() const;
  int loss_status() const;
  std::string describe_end(const std::string& error_text) const;
  std::string describe_silence() const;
  std::string consequence(bool is_silent) const;

  HostFacts facts_;
  std::uint64_t heard_ns_;
  std::uint64_t report_deadline_ns_ = 0;  // after the first sign of a loss; 0: there was none
  bool pipe_ended_ = false;
  std::string malformed_;  // why the frames could not be parsed
  std::optional<int> wait_status_;
  bool hello_ = false;
  bool over_ = false;
};

}  // namespace gondwana::launch
