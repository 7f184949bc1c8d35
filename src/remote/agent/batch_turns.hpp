// Executes the batches of each process in order. If an accumulate waits for a lock, its batch and
// all later ones of the process are kept and retried, so the agent never waits for a process of its
// node.
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
  // Called when a batch of a rank cannot be executed. The rank waits for a reply, and no reply
  // would be correct.
  using OnRefused = std::function<void(std::uint32_t rank, const std::string& why)>;

  // All arguments must outlive the object.
  BatchTurns(const NodeMemory& memory, std::uint64_t tag, Executor& executor, Answers& answers,
             OnRefused on_refused)
      : memory_(memory),
        tag_(tag),
        executor_(executor),
        answers_(answers),
        on_refused_(std::move(on_refused)) {}

  // Whether no later process has replaced this one.
  bool may_meet(std::uint32_t process, std::uint32_t incarnation);
  // Drops the state of the predecessor, and restarts the numbering.
  void meet(std::uint32_t process, std::uint32_t incarnation);

  // `bytes`: the whole batch, which is kept if its turn has not come.
  void take(const ReceivedBatch& received, Bytes bytes);
  void resume_stalled();

  std::size_t stalled() const { return stalled_.size(); }
  // Batches received before, or sent by a replaced process.
  std::uint64_t repeated() const { return repeated_; }

 private:
  // The rest of a batch whose next request waits for a lock.
  struct Stalled {
    Batch batch;
    std::vector<std::byte> requests;
    std::size_t added;  // completed bytes of the first request
    std::vector<ResultPart> results;
  };
  struct Sender {
    std::uint32_t incarnation = 0;
    InOrder order = {};
    std::optional<Stalled> stalled = {};  // later batches wait
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
  std::vector<std::uint32_t> stalled_;  // senders with a stalled batch
  std::uint64_t repeated_ = 0;
};

}  // namespace gondwana::remote
