// The requests of a rank to one other node, in order. They collect in an open batch while
// `most_at_once` batches are unanswered. An open batch is sent when it is full, when all earlier
// batches are answered (or some, if it is half full), and when the rank waits or polls. If the rank
// makes no calls, the agent of the node sends it.
//
// Used by the thread that has the turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "remote/client/batch_slots.hpp"
#include "remote/client/route.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

// The destination of a result.
struct Destination {
  StridedRun pieces;     // memory of this rank
  bool is_word = false;  // a word of up to 8 bytes

  std::size_t result_size() const { return is_word ? sizeof(ResultWord) : pieces.bytes(); }
};

struct NewRequest {
  Request request;
  std::size_t behind = 0;                      // bytes that follow the request
  FunctionRef<void(std::byte*)> write_behind;  // may be called twice
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
    Traffic& traffic;
    std::vector<Stream*> open{};           // the streams with an open batch, oldest first
    std::vector<MessagesTo*> gathering{};  // receivers with an open batch, oldest first
  };

  Stream(Shared& shared, std::uint32_t node) : shared_(shared), node_(node) {}
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
  // The same if the open batch suffices. False: no effect.
  bool try_append(const NewRequest& request);
  // Sends the open batch, if any. Unless it is urgent, the batch stays open while enough batches
  // are unanswered.
  enum class Urgency : std::uint8_t { gather, send };
  Result<Posted> flush(Urgency urgency);
  // False: the reply matches no batch that was sent.
  bool take_reply(const ReceivedReply& received);
  // Whether the agent has executed all requests up to the mark in Shared::accepted.
  bool has_executed(std::uint64_t mark) const;
  bool is_open() const { return open_ != nullptr; }
  bool is_answered() const { return is_met_; }
  bool is_done() const { return batches_.empty(); }
  // Whether the open batch has grown since the last call.
  bool has_grown();

 private:
  // A batch that is open or unanswered.
  struct Sent {
    std::uint64_t first = 0;  // its first request, numbered over all nodes (Shared::accepted)
    std::size_t size = 0;     // in bytes
    std::size_t result_size = 0;
    std::vector<Completion*> done;  // each begun once for consecutive requests
    std::vector<Destination> results;
  };

  std::size_t unanswered() const { return batches_.size() - (is_open() ? 1 : 0); }
  bool may_send(Urgency urgency) const;
  Result<Posted> make_room(std::size_t size, std::size_t result_size);
  bool open_batch();
  // False: the agent has taken the batch. It may have been sent and its slot freed since then.
  bool add_to_open(const NewRequest& request, std::size_t result_size);
  static std::size_t size_of_results(const NewRequest& request);
  bool is_full() const { return size_ >= shared_.batch_limit; }
  bool fits(std::size_t size, std::size_t result_size) const {
    return !is_full() && size_ + size <= longest_batch &&
           batches_.back().result_size + result_size <= longest_results;
  }
  void close();
  void finish(Sent& batch);
  void abandon();
  static bool unpack_results(Sent& batch, Bytes results);

  Shared& shared_;
  std::uint32_t node_;
  std::optional<Error> loss_;
  bool is_introduced_ = false;
  bool is_met_ = false;
  std::uint32_t answered_ = 0;  // number of the last batch before batches_
  std::size_t executed_ = 0;    // executed entries of batches_; some wait for their results
  std::deque<Sent> batches_;    // the open batch is the last
  std::size_t bytes_ = 0;       // total bytes of batches_ except the open one
  std::size_t results_ = 0;     // total result bytes of batches_ except the open one
  std::vector<Sent> spare_;     // reused to keep their memory
  BatchSlots::Slot* open_ = nullptr;
  bool is_published_ = false;  // the open batch is visible to the agent
  std::size_t size_ = 0;       // size of the open batch
  std::size_t seen_size_ = 0;  // at the last has_grown()
};

inline std::size_t Stream::size_of_results(const NewRequest& request) {
  std::size_t size = 0;
  for (const Destination& each : request.results) size += each.result_size();
  return size;
}

inline bool Stream::try_append(const NewRequest& request) {
  const std::size_t result_size = size_of_results(request);
  const std::size_t size = sizeof(Request) + request.behind;
  return is_published_ && is_open() && fits(size, result_size) &&
         size_ + size < shared_.batch_limit && add_to_open(request, result_size);
}

inline bool Stream::add_to_open(const NewRequest& request, std::size_t result_size) {
  static_assert(Message<Request>);
  std::byte* end = open_->bytes() + size_;
  std::memcpy(end, &request.request, sizeof(Request));
  if (request.behind > 0) request.write_behind(end + sizeof(Request));
  const std::size_t size = size_ + sizeof(Request) + request.behind;
  if (is_published_ && !open_->state().extend(static_cast<std::uint32_t>(size))) return false;
  size_ = size;
  ++shared_.accepted;
  Sent& batch = batches_.back();
  if (batch.done.empty() || batch.done.back() != request.done) {
    request.done->begin();
    batch.done.push_back(request.done);
  }
  batch.results.insert(batch.results.end(), request.results.begin(), request.results.end());
  batch.result_size += result_size;
  return true;
}

}  // namespace gondwana::remote
