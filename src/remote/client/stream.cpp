#include "remote/client/stream.hpp"

#include <algorithm>

#include "core/ticks.hpp"
#include "tracing/tracer.hpp"

namespace gondwana::remote {
namespace {

// The number of unanswered batches from which requests are batched. The first two requests are sent
// at once, each in its own batch. An open batch is sent when all earlier ones are answered, or with
// an earlier reply if it is half full (docs/decisions/0028-small-operations-gather.md).
constexpr std::size_t max_batches = 2;

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
  const bool may_gather = urgency == Urgency::gather && shared_.gathers > 0;
  if (unanswered() == 0) return !may_gather;
  if (unanswered() >= max_unanswered) return false;
  const Route::Window window = shared_.route.window();
  if (sent_.bytes() + open_.size() > window.bytes) return false;
  if (sent_.bytes_of_results() + sent_.last().result_size > window.results) return false;
  if (urgency == Urgency::send) return true;
  if (may_gather) return false;
  const bool is_worth_it = !open_.is_left_open() || open_.size() >= shared_.batch_limit / 2;
  return unanswered() < max_batches && is_worth_it;
}

Result<Posted> Stream::append(const NewRequest& request) {
  const std::size_t result_size = size_of_results(request);
  const std::size_t size = sizeof(Request) + request.payload_size;
  while (true) {
    if (Result<Posted> room = make_room(size, result_size); !room || *room == Posted::busy)
      return room;
    if (add_to_open(request, result_size)) break;
    close();
  }
  if (Result<Posted> sent = flush(is_full() ? Urgency::send : Urgency::gather); !sent) return sent;
  if (is_open()) open_.leave_open();
  return Posted::accepted;
}

// Ensures that the open batch has space for a request, or opens one.
Result<Posted> Stream::make_room(std::size_t size, std::size_t result_size) {
  if (is_open()) {
    if (fits(size, result_size)) return Posted::accepted;
    if (Result<Posted> sent = flush(Urgency::send); !sent || *sent == Posted::busy) return sent;
  }
  if (open_batch()) return Posted::accepted;
  // Called if all slots are in use. progress() detects an error of another stream and names its
  // node.
  if (!shared_.open.empty() && !shared_.open.front()->flush(Urgency::send)) return Posted::busy;
  return open_batch() ? Posted::accepted : Posted::busy;
}

bool Stream::open_batch() {
  if (!open_.open({.tag = shared_.tag,
                   .from = shared_.me,
                   .number = sent_.next_number(),
                   .node = node_,
                   .heeded = shared_.heeded}))
    return false;
  limit_ = shared_.batch_limit;
  sent_.open(shared_.accepted + 1);
  shared_.open.push_back(this);
  return true;
}

// Called when this rank or the agent has sent the open batch.
void Stream::close() {
  sent_.close(open_.size());
  open_.close();
  std::erase(shared_.open, this);
}

Result<Posted> Stream::flush(Urgency urgency) {
  if (!is_open()) return Posted::accepted;
  if (!may_send(urgency)) return Posted::busy;
  Result<Posted> sent = open_.flush([this](BatchSlots::Slot& slot, std::size_t size) {
    Result<Posted> posted = shared_.route.send_batch(node_, slot, size);
    if (posted && *posted == Posted::accepted) trace_batch(node_, size);
    return posted;
  });
  if (sent && *sent == Posted::accepted) close();
  return sent;
}

bool Stream::take_reply(const ReceivedReply& received) {
  const std::uint32_t number = received.reply.number;
  if (!is_met_ && number == 0) {
    is_met_ = true;
    return true;
  }
  if (is_open() && number + 1 == sent_.next_number()) {
    if (!open_.is_left_open()) return false;
    close();  // the agent has taken it
  }
  return sent_.answer(number, received.results);
}

const Error& Stream::lose(const Error& loss) {
  if (!loss_) loss_ = loss;
  if (is_open()) {
    open_.drop();
    close();
  }
  sent_.lose(*loss_);
  return *loss_;
}

}  // namespace gondwana::remote
