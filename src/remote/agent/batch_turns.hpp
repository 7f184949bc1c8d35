// Executes the batches of each process in their order. A batch whose accumulate waits for a lock is
// put aside with those after it, and tried again: the agent waits for no process of its node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "remote/agent/answers.hpp"
#include "remote/agent/executor.hpp"
#include "remote/in_order.hpp"

namespace gondwana::remote {

class BatchTurns {
 public:
  // A batch of a rank cannot be carried out. No answer would be true, and the rank waits for one.
  using OnRefused = std::function<void(std::uint32_t rank, const std::string& why)>;

  // All must outlive it.
  BatchTurns(const NodeMemory& memory, std::uint64_t tag, Executor& executor, Answers& answers,
             OnRefused on_refused)
      : memory_(memory),
        tag_(tag),
        executor_(executor),
        answers_(answers),
        on_refused_(std::move(on_refused)) {}

  // Whether no later process has taken the place of this one.
  bool may_meet(std::uint32_t process, std::uint32_t incarnation);
  // What its predecessor has left is dropped, and numbers begin anew.
  void meet(std::uint32_t process, std::uint32_t incarnation);

  // `bytes`: the whole batch, which is kept if its turn has not come.
  void take(const ReceivedBatch& received, Bytes bytes);
  void resume_stalled();

  std::size_t stalled() const { return stalled_.size(); }
  // Batches that had come before, or of a process that another has replaced.
  std::uint64_t repeated() const { return repeated_; }

 private:
  // The rest of a batch whose next request waits for a lock.
  struct Stalled {
    Batch batch;
    std::vector<std::byte> requests;
    std::size_t added;  // bytes of that request
    std::vector<ResultPart> results;
  };
  struct Sender {
    std::uint32_t incarnation = 0;
    InOrder order;
    std::optional<Stalled> stalled = {};  // batches after it wait
  };

  void execute(Sender& sender, const Batch& batch, Bytes requests, std::size_t added = 0,
               std::vector<ResultPart> results = {});
  void execute_kept(Sender& sender);

  const NodeMemory& memory_;
  std::uint64_t tag_;
  Executor& executor_;
  Answers& answers_;
  OnRefused on_refused_;
  std::unordered_map<std::uint32_t, Sender> senders_;
  std::vector<std::uint32_t> stalled_;  // those with a stalled batch
  std::uint64_t repeated_ = 0;
};

}  // namespace gondwana::remote
