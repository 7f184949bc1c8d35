// One host of a job as the conductor sees it: the process that leads there, and the frames that
// pass.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/job.hpp"
#include "run/remote/frame_link.hpp"

namespace gondwana::launch {

// What is started to run a remote launcher there.
std::vector<std::string> words_to_start(const Host& host, std::uint32_t peer_timeout_s);

class HostConnection {
 public:
  using OnFrame = std::function<void(HostConnection& host, Frame& frame)>;

  // `poller` must outlive this.
  HostConnection(Poller& poller, const Host& host, const Share& share);
  HostConnection(const HostConnection&) = delete;
  HostConnection& operator=(const HostConnection&) = delete;

  // Starts the process; `on_frame` gets what the remote launcher says.
  Result<void> start(OnFrame on_frame);
  void send(const Frame& frame);

  // The process is a child of ours and was reaped.
  void on_child_ended(int wait_status);
  // Gives the host up; it ends its ranks when it notices.
  void abandon();

  // A sentence once the host is lost: the connection ended early, or nothing is heard any more. To
  // be asked once a round and at next_ns(); it is told once.
  std::optional<std::string> loss();
  std::optional<std::uint64_t> next_ns() const;
  // For how long nothing was heard.
  std::uint64_t silence_ns() const;
  // What the job ends with for that reason.
  int loss_status() const;

  // Nobody of the job is left there, or nobody can be reached.
  bool is_over() const { return over_; }
  bool has_said_hello() const { return hello_; }
  pid_t pid() const { return pid_; }
  const std::string& name() const { return host_.name; }
  std::uint32_t node() const { return share_.node; }
  const Share& share() const { return share_; }

 private:
  Result<void> spawn(const std::vector<std::string>& words);
  void take_frame(Frame& frame);
  void read_complaints();
  void see_loss();
  std::string describe_end() const;
  std::string describe_silence() const;
  std::uint64_t ended_at_ns() const;
  std::uint64_t silent_at_ns() const;
  std::uint32_t silence_limit_s() const;

  Poller* poller_;
  Host host_;
  Share share_;
  OnFrame on_frame_;
  pid_t pid_ = 0;
  std::optional<FrameLink> link_;
  UniqueFd complaints_;     // its standard error
  std::string complained_;  // the end of what came there
  std::string malformed_;   // why the frames were not understood
  std::optional<int> wait_status_;
  std::uint64_t told_by_ns_ = 0;  // after the first sign of a loss; 0: there was none
  bool hello_ = false;
  bool over_ = false;
};

}  // namespace gondwana::launch
