// The numbered messages of a rank to another one. Messages may collect in an open batch, which the
// rank sends to the receiver. If the rank makes no calls, the agent of the node sends it to the
// receiver's agent, which passes it on.
//
// Used by the thread that has the turn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "remote/client/open_batch.hpp"
#include "remote/client/route.hpp"
#include "remote/client/stream.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

class MessagesTo {
 public:
  // `stream` leads to the receiver's node.
  MessagesTo(Stream::Shared& shared, Rank to, const Stream& stream)
      : shared_(shared), to_(to), stream_(&stream), open_(shared.slots) {}
  MessagesTo(const MessagesTo&) = delete;
  MessagesTo& operator=(const MessagesTo&) = delete;

  Rank receiver() const { return to_; }
  std::uint32_t receiver_number() const { return number_of(index(to_), incarnation_); }
  std::uint32_t incarnation() const { return incarnation_; }
  std::uint32_t node() const { return stream_->node(); }
  const Error* loss() const { return stream_->loss(); }
  std::uint32_t next_number() const { return last_ + 1; }
  void count() { ++last_; }

  bool is_open() const { return open_.is_open(); }
  bool is_full() const;
  // Whether the open batch has grown since the last call.
  bool has_grown() { return open_.has_grown(); }
  // Adds the next message to the open batch, or opens one. False: no slot is free.
  bool append(Bytes head, Bytes body);
  // Sends the open batch. Busy: it stays open.
  Result<Posted> flush();
  // Drops the open batch, whose receiver is lost.
  void abandon();
  // Another process has replaced the receiver, perhaps on another node, and numbering restarts.
  void renew(std::uint32_t incarnation, const Stream& stream);

 private:
  void close();

  Stream::Shared& shared_;
  Rank to_;
  const Stream* stream_;
  std::uint32_t incarnation_ = 0;  // of the receiver
  std::uint32_t last_ = 0;         // the number of the last message
  OpenBatch open_;
};

}  // namespace gondwana::remote
