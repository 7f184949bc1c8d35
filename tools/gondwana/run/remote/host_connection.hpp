// The conductor's connection to one host of a job: the process that leads there, and the frames.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/job.hpp"
#include "run/remote/frame_link.hpp"
#include "run/remote/host_life.hpp"

namespace gondwana::launch {

// The command line that starts a remote launcher on the host.
std::vector<std::string> start_command(const Host& host, std::uint32_t peer_timeout_s);

class HostConnection {
 public:
  // `poller` must outlive this object.
  HostConnection(Poller& poller, const Host& host, const Share& share);
  HostConnection(const HostConnection&) = delete;
  HostConnection& operator=(const HostConnection&) = delete;

  // Starts the process.
  Result<void> start();
  // The two functions receive the remote launcher's messages and the end of the connection.
  Result<void> listen(FrameLink::OnFrame on_frame, FrameLink::OnEnd on_end);
  void send(const Frame& frame) { link_->send(frame); }
  void send(std::shared_ptr<const std::string> encoded) { link_->send(std::move(encoded)); }
  // Output of ranks there has arrived and has been written here. Returns whether to report it.
  bool count_output(std::size_t bytes);
  void report_output() { send(Taken{std::exchange(written_, 0)}); }

  // The child process has ended and was reaped.
  void on_child_ended() { pid_ = 0; }
  HostSeen look();
  // ssh ends when its input does. An abandoned host ends its ranks when it notices the loss.
  void close(bool is_killed);

  pid_t pid() const { return pid_; }
  const std::string& name() const { return host_.name; }
  HostFacts facts() const;

 private:
  void read_stderr();

  Poller* poller_;
  Host host_;
  Share share_;
  pid_t pid_ = 0;
  std::optional<FrameLink> link_;
  UniqueFd stderr_;            // its standard error
  std::string stderr_text_;    // the last bytes of that output
  std::uint64_t written_ = 0;  // bytes of output that were not reported as taken yet
};

}  // namespace gondwana::launch
