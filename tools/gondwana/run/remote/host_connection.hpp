// One host of a job as the conductor reaches it: the process that leads there, and the frames that
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
#include "run/remote/host_life.hpp"

namespace gondwana::launch {

// What is started to run a remote launcher there.
std::vector<std::string> words_to_start(const Host& host, std::uint32_t peer_timeout_s);

class HostConnection {
 public:
  // `poller` must outlive this.
  HostConnection(Poller& poller, const Host& host, const Share& share);
  HostConnection(const HostConnection&) = delete;
  HostConnection& operator=(const HostConnection&) = delete;

  // Starts the process; the two get what the remote launcher says, and the end of that.
  Result<void> start(FrameLink::OnFrame on_frame, FrameLink::OnEnd on_end);
  void send(const Frame& frame) { link_->send(frame); }
  // Lines of ranks there have come, and have been written here so far.
  void count_output(std::size_t bytes) { written_ += bytes; }
  void report_output();

  // The process is a child of ours and was reaped.
  void on_child_ended() { pid_ = 0; }
  HostSeen look();
  // ssh ends, too, when its input does. A host that is given up ends its ranks when it notices.
  void close(bool is_killed);

  pid_t pid() const { return pid_; }
  const std::string& name() const { return host_.name; }
  HostFacts facts() const;

 private:
  Result<void> spawn(const std::vector<std::string>& words);
  void read_complaints();

  Poller* poller_;
  Host host_;
  Share share_;
  pid_t pid_ = 0;
  std::optional<FrameLink> link_;
  UniqueFd complaints_;        // its standard error
  std::string complained_;     // the end of what came there
  std::uint64_t written_ = 0;  // bytes of its output, not yet told to be taken
};

}  // namespace gondwana::launch
