// The requests of a rank to one other node, in order. They collect in an open batch while
// `max_at_once` batches are unanswered. An open batch is sent when it is full, when all earlier
// batches are answered (or some, if it is half full), and when the rank waits or polls. If the rank
// makes no calls, the agent of the node sends it.
//
// Used by the thread that has the turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "remote/client/batch_slots.hpp"
#include "remote/client/open_batch.hpp"
#include "remote/client/route.hpp"
#include "remote/client/sent_batches.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

struct NewRequest {
  Request request;
  std::size_t payload_size = 0;                 // bytes that follow the request
  FunctionRef<void(std::byte*)> write_payload;  // may be called twice
  std::span<const Destination> results = {};
  Completion* done = nullptr;
};

class MessagesTo;

class Stream {
 public:
  // The state that all streams of a rank share.
  struct Shared {
    Route& route;
    BatchSlots slots;
    std::uint64_t tag;
    std::uint32_t me;            // see number_of()
    std::size_t batch_limit;     // size in bytes at which a batch is full
    std::uint64_t accepted = 0;  // number of requests to all nodes
    std::uint32_t gathers = 0;   // sessions in which batches wait until they are full
    std::uint32_t heeded = 0;    // see Transport::heed()
    Traffic& traffic;
    std::vector<Stream*> open{};           // the streams with an open batch, oldest first
    std::vector<MessagesTo*> gathering{};  // receivers with an open batch, oldest first
  };

  Stream(Shared& shared, std::uint32_t node)
      : shared_(shared), node_(node), sent_(shared.traffic), open_(shared.slots) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::uint32_t node() const { return node_; }
  // Why the node is lost; null while it is alive.
  const Error* loss() const { return loss_ ? &*loss_ : nullptr; }
  // Fails all requests, which will never be answered. Only the first loss counts.
  const Error& lose(const Error& loss);
  // Sends the address for replies. Accepted once the agent has replied.
  Result<Posted> introduce();
  // Busy: earlier batches must be answered first.
  Result<Posted> append(const NewRequest& request);
  // Like append(), but only if the open batch has space. False: no effect.
  bool try_append(const NewRequest& request);
  // Sends the open batch, if any. Unless it is urgent, the batch stays open while enough batches
  // are unanswered.
  enum class Urgency : std::uint8_t { gather, send };
  Result<Posted> flush(Urgency urgency);
  // False: the reply matches no batch that was sent.
  bool take_reply(const ReceivedReply& received);
  // Whether the agent has executed all requests up to the mark in Shared::accepted.
  bool has_executed(std::uint64_t mark) const { return sent_.has_executed(mark); }
  bool is_open() const { return open_.is_open(); }
  bool is_answered() const { return is_met_; }
  bool is_done() const { return sent_.count() == 0; }
  // The open batch gets no more requests.
  void seal() { limit_ = 0; }
  // Whether the open batch has grown since the last call.
  bool has_grown() { return open_.has_grown(); }

 private:
  std::size_t unanswered() const { return sent_.count() - (is_open() ? 1 : 0); }
  bool may_send(Urgency urgency) const;
  Result<Posted> make_room(std::size_t size, std::size_t result_size);
  bool open_batch();
  // False: the agent has taken the batch. It may have been sent and its slot freed since then.
  bool add_to_open(const NewRequest& request, std::size_t result_size);
  static std::size_t size_of_results(const NewRequest& request);
  bool is_full() const { return open_.size() >= limit_; }
  bool fits(std::size_t size, std::size_t result_size) const {
    return !is_full() && open_.size() + size <= longest_batch &&
           sent_.last().result_size + result_size <= longest_results;
  }
  void close();

  Shared& shared_;
  std::uint32_t node_;
  std::optional<Error> loss_;
  bool is_introduced_ = false;
  bool is_met_ = false;
  std::size_t limit_ = 0;  // size in bytes at which the open batch is full
  SentBatches sent_;       // the open one is the last
  OpenBatch open_;
};

inline std::size_t Stream::size_of_results(const NewRequest& request) {
  std::size_t size = 0;
  for (const Destination& each : request.results) size += each.result_size();
  return size;
}

inline bool Stream::try_append(const NewRequest& request) {
  const std::size_t result_size = size_of_results(request);
  const std::size_t size = sizeof(Request) + request.payload_size;
  return open_.is_left_open() && fits(size, result_size) &&
         open_.size() + size < shared_.batch_limit && add_to_open(request, result_size);
}

inline bool Stream::add_to_open(const NewRequest& request, std::size_t result_size) {
  static_assert(Message<Request>);
  std::byte* end = open_.end();
  std::memcpy(end, &request.request, sizeof(Request));
  if (request.payload_size > 0) request.write_payload(end + sizeof(Request));
  if (!open_.extend(open_.size() + sizeof(Request) + request.payload_size)) return false;
  ++shared_.accepted;
  SentBatches::Batch& batch = sent_.last();
  if (batch.done.empty() || batch.done.back() != request.done) {
    request.done->begin();
    batch.done.push_back(request.done);
  }
  batch.results.insert(batch.results.end(), request.results.begin(), request.results.end());
  batch.result_size += result_size;
  return true;
}

}  // namespace gondwana::remote
