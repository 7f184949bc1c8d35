// How node agents detect that the job is over: a rank is lost, or all ranks of the job wait
// forever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "remote/agent/inquiry.hpp"
#include "remote/agent/outbox.hpp"

namespace gondwana::remote {

// Informs the processes of a node that can end the job. Only the first reason counts.
void declare_over(NodeHeader& header, const std::string& why);

class JobWatch {
 public:
  // `memory` and `outbox` must outlive the object. `host`: of this node. `peer_timeout_ns`: 0: no
  // limit.
  JobWatch(const NodeMemory& memory, Outbox& outbox, std::string host,
           std::uint64_t peer_timeout_ns)
      : memory_(memory),
        outbox_(outbox),
        host_(std::move(host)),
        inquiry_(memory.roster().node(), memory.roster().nodes(), peer_timeout_ns) {}

  // Checks the ranks of this node.
  void check(std::uint64_t now_ns);
  // Finds a rank whose process has ended or runs another program, although it is part of the job.
  void check_for_lost_ranks();
  // Messages from the agents of other nodes.
  void answer(const Control& ask);
  void hear(const Control& received, Bytes text, std::uint64_t now_ns);

  // False: some nodes have not received the alarm. A connection may have to be made first.
  bool send_alarms();
  bool has_alarm() const { return !alarm_.empty(); }
  // Tells the agents that this one has communicated with that it will not reply any more.
  void tell_farewell();

 private:
  NodeReport report_of_own() const;
  void continue_inquiry(std::uint64_t now_ns);

  const NodeMemory& memory_;
  Outbox& outbox_;
  std::string host_;
  Inquiry inquiry_;
  std::uint64_t next_check_ns_ = 0;
  std::string alarm_;                    // the reason why the job is over
  std::vector<std::uint32_t> to_alarm_;  // nodes that have not received the alarm
};

}  // namespace gondwana::remote
