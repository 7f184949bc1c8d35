// The state of a RemoteClient: its requests to agents of other nodes, and its messages to the ranks
// there. requests.cpp makes the requests, a Stream sends them; messages.cpp sends messages;
// client.cpp handles answers and losses. The Route moves the bytes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/client/client.hpp"
#include "remote/client/message_queue.hpp"
#include "remote/client/messages_to.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/route.hpp"
#include "remote/client/stream.hpp"
#include "remote/protocol.hpp"

namespace gondwana {

class RemoteClient::Implementation {
 public:
  static Result<std::unique_ptr<Implementation>> open(const Setup& setup);

  Limits limits() const;
  Result<Posted> put(Remote to, Bytes source, Completion& done);
  Result<Posted> get(MutableBytes target, Remote from, Completion& done);
  Result<Posted> put_packed(Rank to, std::span<const StridedRun> pieces, Completion& done);
  Result<Posted> get_packed(Rank from, std::span<const StridedRun> pieces, Completion& done);
  Result<Posted> accumulate(Rank to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done);
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done);
  bool has_unordered() const { return route_->has_puts(); }
  std::uint64_t accepted() const { return shared_->accepted; }
  bool has_executed(Rank at, std::uint64_t mark);
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure);
  void listen(MessageReceiver receiver) { queue_.listen(std::move(receiver)); }
  bool progress();
  bool departed() const;
  bool may_sleep();
  void sleep(std::chrono::microseconds limit) { route_->sleep(limit); }
  const Error* lost() const { return lost_ ? &*lost_ : nullptr; }
  std::uint64_t refused() const { return refused_; }

 private:
  using MessagesTo = remote::MessagesTo;
  using Write = remote::Route::Write;

  explicit Implementation(const Setup& setup)
      : memory_(setup.memory),
        me_(setup.me),
        tag_(setup.job_tag),
        agent_(setup.agent),
        nodes_(setup.memory) {}

  Result<void> open_route(const Setup& setup);
  Traffic& traffic() { return memory_->page(me_).traffic; }
  bool carries_messages_only() const { return route_->longest_transfer() == 0; }
  remote::Stream& stream_to(std::uint32_t node);
  remote::Stream& stream_to_rank(Rank to);
  Result<Posted> request(const remote::NewRequest& request);
  Result<Posted> write_eager(Rank to, const StridedRun& piece, Completion& done);
  MessagesTo& messages_to(Rank to);
  bool gather(MessagesTo& messages, Bytes head, Bytes body);
  void flush(MessagesTo& messages);
  Result<Posted> send_alone(const MessagesTo& messages, Bytes head, Bytes body,
                            Departure departure);
  Result<Posted> read_eager(Rank from, const StridedRun& piece, Completion& done);
  bool poll();
  bool flush_open();
  bool flush_messages();
  bool flush_streams();
  Result<Posted> judge(std::uint32_t node, Result<Posted> posted);
  void receive(Bytes bytes);
  bool take_message(const remote::ReceivedMessage& message);
  bool take_messages(const remote::ReceivedBatch& received);
  bool take_reply(const remote::ReceivedReply& reply);
  std::string tell_loss(std::uint32_t node, const std::string& why) const;
  void lose(std::uint32_t node, const std::string& why);
  void look_for_losses();
  bool is_agent_gone() const;

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::uint64_t tag_;
  int agent_;
  remote::NodeInfos nodes_;
  std::size_t eager_limit_ = 0;                      // bytes of a put that goes as a request
  std::map<std::uint32_t, MessagesTo> messages_to_;  // by rank
  std::vector<MessagesTo*> gathering_;               // those with an open batch
  remote::MessageQueue queue_;
  std::optional<Error> lost_;
  std::uint32_t polls_ = 0;
  std::uint64_t next_look_ns_ = 0;  // for losses
  std::uint64_t refused_ = 0;       // messages that do not belong to this job
  std::uint32_t gathered_ = 0;      // requests that joined an open batch
  std::unique_ptr<remote::Stream::Shared> shared_;
  std::map<std::uint32_t, remote::Stream> streams_;  // by node
  Rank last_rank_{0};  // that stream_to_rank() has looked for, and its stream
  remote::Stream* last_stream_ = nullptr;
  std::unique_ptr<remote::Route> route_;  // last, so that it is closed before what it writes to
};

}  // namespace gondwana
