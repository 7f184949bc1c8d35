// The replies of a node agent. Each process that waits for replies has a queue of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "remote/agent/executor.hpp"
#include "remote/agent/outbox.hpp"

namespace gondwana::remote {

class Answers {
 public:
  // `outbox` and `executor` must outlive the object. `node`: the node of this agent.
  Answers(Outbox& outbox, Executor& executor, std::uint64_t tag, std::uint32_t node)
      : outbox_(outbox), executor_(executor), tag_(tag), node_(node) {}

  // The process replaces another one, which gets no further replies.
  void meet(std::uint32_t process, std::uint32_t incarnation);
  // A reply is due for all batches up to this one. Batches of one poll share a reply.
  void owe(std::uint32_t process, std::uint32_t batch);
  // Replies to the batch with these results.
  void answer(std::uint32_t process, std::uint32_t batch, std::vector<ResultPart> results);
  // A process that does not take its replies does not delay others.
  void send();

  std::size_t waiting() const { return waiting_.size(); }
  // Whether replies wait although the network is idle, so that nothing would wake the agent.
  bool are_stuck() const;

 private:
  struct Answer {
    Reply reply;
    std::vector<ResultPart> results;
  };
  struct Process {
    std::uint32_t incarnation = 0;
    std::uint32_t done = 0;     // its last executed batch
    bool is_owed = false;       // a reply is due
    std::list<Answer> answers;  // uses no memory while empty
  };

  void add(std::uint32_t number, Process& process, std::vector<ResultPart> results);
  bool send_to(std::uint32_t number);
  Result<Posted> send(std::uint32_t number, const Answer& answer);

  Outbox& outbox_;
  Executor& executor_;
  std::uint64_t tag_;
  std::uint32_t node_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::vector<std::uint32_t> owed_;
  std::vector<std::uint32_t> waiting_;  // processes with waiting replies
};

}  // namespace gondwana::remote
