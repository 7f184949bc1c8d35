// A guardian's descriptors for its ranks: the sockets through which they join, and the descriptors
// that report the end of programs that joined.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/node/job_on_node.hpp"
#include "run/node/node_events.hpp"
#include "run/node/program_watch.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

using TellEvent = std::function<void(const NodeEvent&)>;

class RankLinks {
 public:
  // All arguments must outlive this object.
  RankLinks(Poller& poller, WireUp& wire, const JobOnNode& job, TellEvent tell);
  RankLinks(const RankLinks&) = delete;
  RankLinks& operator=(const RankLinks&) = delete;

  // Answers a rank that asked for more.
  void answer(std::uint32_t rank, const Result<std::uint32_t>& first);
  // Returns the rank's end of the socket.
  Result<UniqueFd> open(std::uint32_t rank);
  // Handles the messages of the rank.
  void read(std::uint32_t rank);
  // The rank has ended.
  void forget(std::uint32_t rank);
  // Retries sends. Call this again soon while it must wait.
  void send_again();
  bool waits() const { return !send_later_.empty(); }

  void check_image(std::uint32_t rank, pid_t pid);

 private:
  void take(std::uint32_t rank, protocol::Received received);
  void join(std::uint32_t rank, pid_t program, UniqueFd end);
  void ask_for(std::uint32_t rank, std::uint32_t ranks, const UniqueFd& command);
  void send_job(std::uint32_t rank);
  void close(std::uint32_t rank);

  Poller& poller_;
  WireUp& wire_;
  const JobOnNode& job_;
  TellEvent tell_;
  std::vector<UniqueFd> sockets_;
  std::vector<std::uint32_t> send_later_;
  ProgramWatch programs_;
  ProgramWatch images_;
};

}  // namespace gondwana::launch
