#include "remote/agent/batch_turns.hpp"

#include <utility>

#include "memory/layout.hpp"
#include "tracing/tracer.hpp"

namespace gondwana::remote {
namespace {

TraceEvent event_of(const Batch& batch, Bytes requests) {
  return {.kind = EventKind::handler,
          .name = Tracer::number_of("batch"),
          .peer = batch.from,
          .bytes = requests.size()};
}

}  // namespace

bool BatchTurns::may_meet(std::uint32_t process, std::uint32_t incarnation) {
  if (incarnation >= senders_[process].incarnation) return true;
  ++repeated_;
  return false;
}

void BatchTurns::meet(std::uint32_t process, std::uint32_t incarnation) {
  Sender& sender = senders_[process];
  if (sender.stalled) executor_.abandon(sender.stalled->requests, sender.stalled->added);
  sender = {.incarnation = incarnation};
}

void BatchTurns::take(const ReceivedBatch& received, Bytes bytes) {
  Sender& sender = senders_[received.batch.from];
  const std::uint32_t number = received.batch.number;
  if (received.incarnation != sender.incarnation) {
    ++repeated_;
  } else if (sender.stalled || !sender.order.is_next(number)) {
    if (sender.order.is_past(number) || !sender.order.keep(number, bytes)) ++repeated_;
  } else {
    sender.order.pass();
    execute(sender, received.batch, received.requests);
    execute_kept(sender);
  }
}

void BatchTurns::execute_kept(Sender& sender) {
  while (!sender.stalled) {
    const auto next = sender.order.pass_kept();
    if (!next) return;
    const auto received = read_batch(*next, tag_, memory_.plan());
    execute(sender, received->batch, received->requests);
  }
}

// `added`: bytes of the first request that were added before the batch stalled.
void BatchTurns::execute(Sender& sender, const Batch& batch, Bytes requests, std::size_t added,
                         std::vector<ResultPart> results) {
  const TracedScope traced([&] { return event_of(batch, requests); });
  const Result<void> executed = executor_.execute(batch.heeded, requests, added, results);
  if (!executed) return on_refused_(batch.from, executed.error().text);
  if (!requests.empty()) {
    sender.stalled = Stalled{batch, {requests.begin(), requests.end()}, added, std::move(results)};
    stalled_.push_back(batch.from);
    return;
  }
  add(memory_.header().agent_load.batches, 1);
  if (results.empty()) return answers_.owe(batch.from, batch.number);
  answers_.answer(batch.from, batch.number, std::move(results));
}

void BatchTurns::resume_stalled() {
  for (const std::uint32_t from : std::exchange(stalled_, {})) {
    Sender& sender = senders_[from];
    if (!sender.stalled) continue;  // the process was replaced
    Stalled stalled = *std::exchange(sender.stalled, std::nullopt);
    execute(sender, stalled.batch, stalled.requests, stalled.added, std::move(stalled.results));
    execute_kept(sender);
  }
}

}  // namespace gondwana::remote
