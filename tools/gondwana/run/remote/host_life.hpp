// One host of a job as long as it takes part: whether it is there, and the one rule for its end,
// however that comes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gondwana::launch {

struct HostFacts {
  std::string name;
  std::string way;                   // the process that leads there: "ssh", "srun", "its launcher"
  bool by_ssh = false;               // it is ssh
  std::uint32_t peer_timeout_s = 0;  // silence that means its end; 0: nothing does
  std::uint32_t start_limit_s = 0;   // the same until it has said hello
};

// What is known of the connection at the moment.
struct HostSeen {
  std::uint32_t node;
  std::uint64_t heard_ns;  // when it last said something
  bool has_unread = false;
  std::string complaint = {};  // of the process that leads there
};

// Nobody of the job is left there, or nobody can be reached. A sentence: that ends the job.
struct HostEnd {
  int status = 0;
  std::string sentence = {};
};

class HostLife {
 public:
  HostLife(HostFacts facts, std::uint64_t now) : facts_(std::move(facts)), heard_ns_(now) {}

  const std::string& name() const { return facts_.name; }
  void say_hello() { hello_ = true; }
  bool has_said_hello() const { return hello_; }
  void end() { over_ = true; }
  bool is_over() const { return over_; }

  // The pipe and the process end together; the second has `time_ns` to follow the first. `why`:
  // what came was not understood.
  void on_pipe_ended(std::string why, std::uint64_t time_ns, std::uint64_t now);
  void on_process_ended(int wait_status, std::uint64_t time_ns, std::uint64_t now);
  // When to look at it.
  std::optional<std::uint64_t> next_ns() const;
  // The end of a host that is lost: the connection ended early, or nothing is heard any more.
  std::optional<HostEnd> look(const HostSeen& seen, std::uint64_t now);

 private:
  std::uint64_t ended_at_ns() const;
  std::uint64_t silent_at_ns() const;
  std::uint32_t silence_limit_s() const;
  int loss_status() const;
  std::string describe_end(const std::string& complaint) const;
  std::string describe_silence() const;

  HostFacts facts_;
  std::uint64_t heard_ns_;
  std::uint64_t told_by_ns_ = 0;  // after the first sign of a loss; 0: there was none
  bool pipe_ended_ = false;
  std::string malformed_;  // why the frames were not understood
  std::optional<int> wait_status_;
  bool hello_ = false;
  bool over_ = false;
};

}  // namespace gondwana::launch
