// The route through the agent of the rank's own node. Messages wait in shared memory until the
// agent sends them. Two nodes need only one connection, whatever their number of ranks, and a rank
// needs no network library. Puts and gets are also messages.
#pragma once

#include <memory>

#include "memory/node_memory.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/route.hpp"
#include "sync/record_ring.hpp"

namespace gondwana::remote {

class ThroughAgent final : public Route {
 public:
  ThroughAgent(const std::shared_ptr<NodeMemory>& memory, Rank me);

  Bytes address() const override;
  Result<Posted> send_to_agent(std::uint32_t node, std::size_t size, Write write) override;
  Result<Posted> send_batch(std::uint32_t node, BatchSlots::Slot& slot, std::size_t size) override;
  Window window() const override;
  Result<Posted> send_to_rank(Rank to, std::size_t size, Write write, Departure departure) override;
  Result<Posted> send_batch_to_rank(Rank to, BatchSlots::Slot& slot, std::size_t size) override {
    return send_batch(nodes_.node_of(to), slot, size);
  }
  std::size_t longest_transfer() const override { return 0; }
  Result<Posted> write(Remote to, Bytes source, Completion& done) override;
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override;
  bool has_writes() const override { return false; }
  bool has_departed() const override { return true; }
  bool poll(const Handlers& handlers) override;
  // No bell rings when the agent frees space in the ring.
  bool may_sleep() override { return !wants_room_; }
  void sleep(std::chrono::microseconds limit) override;

 private:
  std::shared_ptr<NodeMemory> memory_;
  NodeInfos nodes_;
  RelayPlace& place_;
  RecordWriter to_agent_;
  RecordReader from_agent_;
  bool wants_room_ = false;  // the ring was full for the last message
};

}  // namespace gondwana::remote
