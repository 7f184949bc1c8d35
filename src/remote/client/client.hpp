// The wire between nodes. A rank reaches the agents of other nodes through its own endpoint. Puts
// and gets access memory that an agent has registered. Words, atomic operations and short puts are
// messages, which the agent executes in order, with the processor's own instructions. Messages to a
// rank go to that rank's endpoint, whose address is in its arena. Alternatively, the agent of the
// rank's own node carries everything as messages.
//
// The first operation to a node makes the connection. Half of the functions are those of Transport.
//
// requests.cpp makes requests to the agents, which Streams send; messages.cpp sends messages to
// ranks; client.cpp handles what arrives. The Route moves the bytes.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/node_memory.hpp"
#include "network/settings.hpp"
#include "remote/client/message_queue.hpp"
#include "remote/client/messages_to.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/route.hpp"
#include "remote/client/streams.hpp"
#include "remote/protocol.hpp"
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
  bool has_unordered() const override { return route_->has_writes(); }
  std::uint64_t accepted() const override { return streams_->shared().accepted; }
  bool has_executed(Rank at, std::uint64_t mark) override;
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) override;
  void listen(MessageReceiver receiver) override { queue_.listen(std::move(receiver)); }
  bool progress() override;
  bool departed() const override;
  bool may_sleep() override;
  void sleep(std::chrono::microseconds limit) override { route_->sleep(limit); }
  const Error* lost(Rank peer) const override { return streams_->lost(peer); }
  std::span<const Error> losses() const override { return streams_->losses(); }
  // Another process has replaced a peer. The first message of a new process has the same effect.
  void renew(Rank peer, std::uint32_t incarnation);
  // The number of messages that do not belong to this job or are malformed.
  std::uint64_t refused() const { return refused_; }

 private:
  using MessagesTo = remote::MessagesTo;

  explicit RemoteClient(const Setup& setup)
      : memory_(setup.memory), me_(setup.me), tag_(setup.job_tag), nodes_(setup.memory) {}

  Result<void> open_route(const Setup& setup);
  Traffic& traffic() { return memory_->page(me_).traffic; }
  bool carries_messages_only() const { return route_->longest_transfer() == 0; }
  Result<Posted> request(const remote::NewRequest& request);
  Result<Posted> put_bytes(Space to, const StridedRun& piece, Completion& done);
  MessagesTo& messages_to(Rank to);
  void flush(MessagesTo& messages);
  Result<Posted> send_alone(const MessagesTo& messages, Bytes head, Bytes body,
                            Departure departure);
  Result<Posted> get_bytes(Space from, const StridedRun& piece, Completion& done);
  bool poll();
  bool flush_open();
  bool flush_messages();
  void receive(Bytes bytes);
  bool take_message(const remote::ReceivedMessage& message);
  bool take_messages(const remote::ReceivedBatch& received);
  bool take_reply(const remote::ReceivedReply& reply);

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::uint64_t tag_;
  remote::NodeInfos nodes_;
  std::size_t eager_limit_ = 0;  // largest put in bytes that should be a request
  std::map<std::uint32_t, MessagesTo> messages_to_;  // by rank
  remote::MessageQueue queue_;
  std::uint32_t polls_ = 0;
  std::uint64_t refused_ = 0;               // messages that do not belong to this job
  std::uint32_t gathered_ = 0;              // requests that joined an open batch
  std::optional<remote::Streams> streams_;  // created with the route
  std::unique_ptr<remote::Route>
      route_;  // last: must be closed before the memory that it writes to
};

}  // namespace gondwana
