#include "remote/client/stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/ticks.hpp"
#include "memory/node_memory.hpp"
#include "tracing/tracer.hpp"

namespace gondwana::remote {
namespace {

// The number of unanswered batches from which requests are batched. The first two requests are sent
// at once, each in its own batch. An open batch is sent when all earlier ones are answered, or with
// an earlier reply if it is half full (docs/decisions/0028-small-operations-gather.md).
constexpr std::size_t most_at_once = 2;

void trace_batch(std::uint32_t node, std::size_t size) {
  TraceRing* ring = Tracer::ring();
  if (ring == nullptr) return;
  ring->add(
      {.begin = ticks(), .duration = 0, .kind = EventKind::batch, .peer = node, .bytes = size});
}

}  // namespace

Result<Posted> Stream::introduce() {
  if (is_met_) return Posted::accepted;
  if (is_introduced_) return Posted::busy;
  const Bytes address = shared_.route.address();
  const Control hello{.tag = shared_.tag, .from = shared_.me, .size = address.size()};
  Result<Posted> sent = shared_.route.send_to_agent(
      node_, sizeof(hello) + address.size(),
      [&](std::byte* message) { std::ranges::copy(address, write(message, hello)); });
  is_introduced_ = sent && *sent == Posted::accepted;
  return sent ? Posted::busy : sent;
}

bool Stream::may_send(Urgency urgency) const {
  if (unanswered() == 0) return true;
  if (unanswered() >= most_unanswered) return false;
  const Route::Window window = shared_.route.window();
  if (bytes_ + size_ > window.bytes) return false;
  if (results_ + batches_.back().result_size > window.results) return false;
  if (urgency == Urgency::send) return true;
  const bool is_worth_it = !is_published_ || size_ >= shared_.batch_limit / 2;
  return unanswered() < most_at_once && is_worth_it;
}

Result<Posted> Stream::append(const NewRequest& request) {
  const std::size_t result_size = size_of_results(request);
  const std::size_t size = sizeof(Request) + request.behind;
  while (true) {
    if (Result<Posted> room = make_room(size, result_size); !room || *room == Posted::busy)
      return room;
    if (add_to_open(request, result_size)) break;
    close();
  }
  if (Result<Posted> sent = flush(is_full() ? Urgency::send : Urgency::gather); !sent) return sent;
  if (is_open() && !is_published_) {
    shared_.slots.leave_open(*open_, size_);
    is_published_ = true;
  }
  return Posted::accepted;
}

// Ensures that the open batch has space for a request, or opens one.
Result<Posted> Stream::make_room(std::size_t size, std::size_t result_size) {
  if (is_open()) {
    if (fits(size, result_size)) return Posted::accepted;
    if (Result<Posted> sent = flush(Urgency::send); !sent || *sent == Posted::busy) return sent;
  }
  if (open_batch()) return Posted::accepted;
  // All slots are in use. progress() detects an error of another stream and names its node.
  if (!shared_.open.empty() && !shared_.open.front()->flush(Urgency::send)) return Posted::busy;
  return open_batch() ? Posted::accepted : Posted::busy;
}

bool Stream::open_batch() {
  open_ = shared_.slots.take();
  if (open_ == nullptr) return false;
  const Batch head{.tag = shared_.tag,
                   .from = shared_.me,
                   .number = answered_ + static_cast<std::uint32_t>(batches_.size()) + 1,
                   .node = node_};
  write(open_->bytes(), head);
  size_ = sizeof(head);
  is_published_ = false;
  if (spare_.empty()) spare_.emplace_back();
  batches_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  batches_.back().first = shared_.accepted + 1;
  batches_.back().result_size = 0;
  shared_.open.push_back(this);
  add(shared_.traffic.under_way, 1);
  return true;
}

// Called when this rank or the agent has sent the open batch.
void Stream::close() {
  batches_.back().size = size_;
  bytes_ += size_;
  results_ += batches_.back().result_size;
  shared_.slots.give_back(*std::exchange(open_, nullptr));
  std::erase(shared_.open, this);
}

Result<Posted> Stream::flush(Urgency urgency) {
  if (!is_open()) return Posted::accepted;
  if (!may_send(urgency)) return Posted::busy;
  BatchState<RealAtomics>& state = open_->state();
  if (is_published_ && !state.take(state.look())) {
    close();  // the agent has taken it
    return Posted::accepted;
  }
  const Result<Posted> sent = shared_.route.send_batch(node_, *open_, size_);
  if (sent && *sent == Posted::accepted) {
    trace_batch(node_, size_);
    close();
  } else if (is_published_) {
    state.reopen();
  }
  return sent;
}

// A reply completes all batches up to its number. Results have a separate reply, which a provider
// may report late.
bool Stream::take_reply(const ReceivedReply& received) {
  const std::uint32_t count = received.reply.number - answered_;
  if (!is_met_ && received.reply.number == 0) {
    is_met_ = true;
    return true;
  }
  if (count == 0 || count > batches_.size()) return false;
  if (count == batches_.size() && is_open()) {
    if (!is_published_) return false;
    close();  // the agent has taken it
  }
  Sent& answered = batches_[count - 1];
  if (!received.results.empty() && !unpack_results(answered, received.results)) return false;
  executed_ = std::max<std::size_t>(executed_, count);
  while (executed_ > 0 && batches_.front().results.empty()) {
    finish(batches_.front());
    batches_.pop_front();
    --executed_;
    ++answered_;
  }
  return true;
}

bool Stream::unpack_results(Sent& batch, Bytes results) {
  if (results.size() != batch.result_size) return false;
  const std::byte* from = results.data();
  for (const Destination& each : batch.results) {
    if (!each.is_word)
      unpack(std::span(&each.pieces, 1), from);
    else if (each.pieces.here != nullptr)
      std::memcpy(each.pieces.here, from, each.pieces.size);
    from += each.result_size();
  }
  batch.results.clear();
  return true;
}

void Stream::finish(Sent& batch) {
  for (Completion* done : batch.done) {
    if (loss_)
      done->fail(*loss_);
    else
      done->finish();
  }
  add(shared_.traffic.under_way, ~std::uint64_t{0});
  bytes_ -= batch.size;
  results_ -= batch.result_size;
  batch.done.clear();
  batch.results.clear();
  batch.size = 0;
  spare_.push_back(std::move(batch));
}

const Error& Stream::lose(const Error& loss) {
  if (!loss_) loss_ = loss;
  abandon();
  return *loss_;
}

void Stream::abandon() {
  if (is_open()) {
    BatchState<RealAtomics>& state = open_->state();
    if (is_published_ && state.take(state.look())) state.clear();
    close();
  }
  for (Sent& batch : batches_) finish(batch);
  answered_ += static_cast<std::uint32_t>(batches_.size());
  batches_.clear();
  executed_ = 0;
}

bool Stream::has_executed(std::uint64_t mark) const {
  return executed_ == batches_.size() || batches_[executed_].first > mark;
}

bool Stream::has_grown() {
  return std::exchange(seen_size_, size_) != size_;
}

}  // namespace gondwana::remote
