// The wire between nodes. A rank reaches the agents of other nodes through its own endpoint. Puts
// and gets access memory that an agent has registered. Words, atomic operations and short puts are
// messages, which the agent executes in order, with the processor's own instructions. Messages to a
// rank go to that rank's endpoint, whose address is in its arena. Alternatively, the agent of the
// rank's own node carries everything as messages.
//
// The first operation to a node makes the connection. Half of the functions are those of Transport.
//
// requests.cpp makes requests to the agents, which Streams send. SentMessages go to ranks, Arrivals
// come from them and from the agents. The Route moves the bytes.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "memory/node_memory.hpp"
#include "network/settings.hpp"
#include "remote/client/arrivals.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/route.hpp"
#include "remote/client/sent_messages.hpp"
#include "remote/client/streams.hpp"
#include "remote/transport.hpp"

namespace gondwana {

class RemoteClient final : public Transport {
 public:
  struct Setup {
    std::shared_ptr<NodeMemory>
        memory;  // contains the infos of all nodes before anything is posted
    Rank me;
    std::uint32_t incarnation = 0;  // how often this rank was replaced
    std::uint64_t job_tag = 0;
    network::Settings settings;
    std::size_t eager_limit = 2 * 1024;   // largest put in bytes that is sent as a message
    std::size_t batch_limit = 32 * 1024;  // size in bytes at which a batch is full; 0: no batches
    bool through_agent = false;           // whether the agent of this node carries everything
    // A socket whose other end the agent of this node keeps open while it lives. -1: the rank does
    // not watch the agent.
    int agent = -1;
  };

  static Result<std::unique_ptr<RemoteClient>> open(const Setup& setup);

  std::string_view name() const override { return "network"; }
  Limits limits() const override;
  Result<Posted> put(Remote to, Bytes source, Completion& done) override;
  Result<Posted> get(MutableBytes target, Remote from, Completion& done) override;
  Result<Posted> write(Remote to, Bytes source, Completion& done) override;
  Result<Posted> read(MutableBytes target, Remote from, Completion& done) override;
  Result<Posted> put_packed(Space to, std::span<const StridedRun> pieces,
                            Completion& done) override;
  Result<Posted> get_packed(Space from, std::span<const StridedRun> pieces,
                            Completion& done) override;
  Result<Posted> accumulate(Space to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done) override;
  Result<Posted> pass(Space space, std::span<const StridedRun> pieces, std::uint64_t packed,
                      Pass way, Completion& done) override;
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done) override;
  Result<Posted> allocate(Rank at, std::uint64_t size, BlockOwner owner, std::uint64_t& block,
                          Completion& done) override;
  Result<Posted> release(Remote block, std::uint64_t& result, Completion& done) override;
  bool has_unordered() const override { return route_->has_writes(); }
  void gather(bool begins) override { streams_.gather(begins); }
  void heed(std::uint32_t changes) override { streams_.heed(changes); }
  std::uint64_t accepted() const override { return streams_.shared().accepted; }
  bool has_executed(Rank at, std::uint64_t mark) override;
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) override {
    // Completed sends free their slots.
    return messages_.send(to, head, body, departure, [this] { poll(); });
  }
  void listen(MessageReceiver receiver) override { arrivals_.queue().listen(std::move(receiver)); }
  bool progress() override;
  bool departed() const override;
  bool may_sleep() override;
  void sleep(std::chrono::microseconds limit) override { route_->sleep(limit); }
  const Error* lost(Rank peer) const override { return streams_.lost(peer); }
  std::span<const Error> losses() const override { return streams_.losses(); }
  const remote::Arrivals& arrivals() const { return arrivals_; }

 private:
  RemoteClient(const Setup& setup, std::unique_ptr<remote::Route> route);

  bool carries_messages_only() const { return route_->longest_transfer() == 0; }
  // An agent can drop a message that is late, but no network write.
  bool writes_messages_only() const {
    return carries_messages_only() ||
           memory_->header().replacement.load(std::memory_order_relaxed) != Replacement::none;
  }
  Result<Posted> request(const remote::NewRequest& request);
  Result<Posted> request_word(const remote::Request& wanted, std::uint64_t& result,
                              Completion& done);
  Result<Posted> put_bytes(Space to, const StridedRun& piece, Completion& done);
  Result<Posted> get_bytes(Space from, const StridedRun& piece, Completion& done);
  bool poll();
  bool flush_open();

  std::shared_ptr<NodeMemory> memory_;
  remote::NodeInfos nodes_;
  std::size_t eager_limit_;  // largest put in bytes that should be a request
  std::uint32_t polls_ = 0;
  std::uint32_t gathered_ = 0;  // requests that joined an open batch
  remote::Streams streams_;
  remote::SentMessages messages_;
  remote::Arrivals arrivals_;
  // Last: must be closed before the memory that it writes to.
  std::unique_ptr<remote::Route> route_;
};

}  // namespace gondwana
