// The messages of a rank to ranks of other nodes.
//
// The thread that has the turn uses it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/function_ref.hpp"
#include "remote/client/messages_to.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/streams.hpp"
#include "remote/transport.hpp"

namespace gondwana::remote {

class SentMessages {
 public:
  // `ranks`: the most ranks that the job may have.
  SentMessages(Streams& streams, const NodeInfos& nodes, std::uint32_t ranks)
      : streams_(streams), nodes_(nodes), ranks_(ranks) {}

  // See Transport::send_message(). Calls `on_full` when a batch has left because it was full.
  Result<Posted> send(Rank to, Bytes head, Bytes body, Departure departure,
                      FunctionRef<void()> on_full);
  bool have_departed() const { return gathering().empty(); }
  // Sends open batches that have not grown since the last call; true if one has left.
  bool flush();
  // Frees the slot of a batch, if there is one.
  void flush_oldest() {
    if (!gathering().empty()) flush(*gathering().front());
  }
  // Another process has taken the place of a peer, perhaps known before.
  void renew(Rank peer, std::uint32_t incarnation);
  // A message to the peer has failed. A process that was replaced is not missed.
  void suspect(Rank peer, const std::string& why);

 private:
  const std::vector<MessagesTo*>& gathering() const { return streams_.shared().gathering; }
  MessagesTo& messages_to(Rank to);
  void flush(MessagesTo& messages);
  Result<Posted> send_alone(const MessagesTo& messages, Bytes head, Bytes body,
                            Departure departure);

  Streams& streams_;
  const NodeInfos& nodes_;
  std::uint32_t ranks_;
  std::map<std::uint32_t, MessagesTo> messages_to_;  // by rank
};

}  // namespace gondwana::remote
