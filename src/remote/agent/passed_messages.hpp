// Passes batches of messages to ranks of this node: the batches that the senders left open, or all
// batches if ranks have no endpoints of their own. A rank orders them, and drops messages for other
// ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/death_list.hpp"
#include "remote/agent/outbox.hpp"

namespace gondwana::remote {

class PassedMessages {
 public:
  // `memory` and `outbox` must outlive the object. `host`: of this node.
  PassedMessages(const NodeMemory& memory, Outbox& outbox, std::string host)
      : memory_(memory), outbox_(outbox), host_(std::move(host)), deaths_(memory) {}

  // Drops messages to a rank that is dead.
  void pass(Rank to, Bytes batch);
  void send();
  std::size_t waiting() const { return waiting_.size(); }

  // Ends the job unless the rank has ended. Otherwise a sender would wait forever.
  void tell_undelivered(std::uint32_t rank, const std::string& why);

 private:
  bool send_to(std::uint32_t rank);
  Result<Posted> send(std::uint32_t rank, Bytes batch);
  Result<Posted> meet(std::uint32_t rank);

  const NodeMemory& memory_;
  Outbox& outbox_;
  std::string host_;
  DeathList deaths_;
  // By rank: the number of its last death when its process was met.
  std::unordered_map<std::uint32_t, std::uint32_t> met_after_;
  std::unordered_map<std::uint32_t, std::list<std::vector<std::byte>>> batches_;  // by rank
  std::vector<std::uint32_t> waiting_;  // ranks with waiting messages
};

}  // namespace gondwana::remote
