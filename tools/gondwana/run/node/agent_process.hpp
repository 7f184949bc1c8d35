// The node agent of a host, as its guardian looks after it. There is one where the job has several
// nodes, from the moment when the first rank joins.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/node/node_events.hpp"
#include "run/node/rank_links.hpp"
#include "run/node/streams.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

class AgentProcess {
 public:
  // All must outlive this. `descriptors`: how many it may have.
  AgentProcess(Poller& poller, WireUp& wire, Streams& streams, const rlimit& descriptors,
               TellEvent tell);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  // Starts it unless it runs.
  void need();
  // It answers what has come, and ends.
  void release();
  // Sends what could not be sent before. To be called soon while it has to wait.
  void send_again();
  bool waits() const { return waits_for_memory_; }
  // False: it was another process.
  bool on_child_ended(pid_t pid, int wait_status);

 private:
  Result<void> start();
  Result<void> watch(std::uint32_t events);
  void on_socket();
  void on_said();
  void pass_on(std::string_view complaint);
  void send_job();
  void on_all_nodes(const std::vector<std::string>& infos);
  std::string describe_fault_of_ucx(int wait_status) const;

  Poller& poller_;
  WireUp& wire_;
  Streams& streams_;
  const rlimit& descriptors_;
  TellEvent tell_;
  pid_t pid_ = 0;  // 0: not started, or ended
  UniqueFd socket_;
  UniqueFd complaints_;  // its standard error
  std::string said_;     // there, and not a whole line yet
  // Whole lines that it said before it served; nothing: it serves.
  std::optional<std::string> why_ = "";
  bool waits_for_memory_ = false;  // it could not be sent all of it at once
};

}  // namespace gondwana::launch
