#include "remote/agent/carrier.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gondwana::remote {
namespace {

// The most messages of one rank before the next rank's turn.
constexpr int max_at_once = 64;
// The retry interval while messages wait for a rank or the network. No event reports that space
// became free.
constexpr int look_again_ms = 1;
constexpr int any_length = 1'000'000;

}  // namespace

void Carrier::begin() {
  ranks_.reserve(memory_.roster().slots());
  for (const Rank rank : memory_.roster().here()) {
    RelayPlace& place = memory_.relay(rank);
    ranks_.push_back({RecordReader(place.to_agent), RecordWriter(place.to_rank), place.bell});
  }
}

bool Carrier::carry() {
  bool found = false;
  is_blocked_ = false;
  for (std::uint32_t slot = 0; slot < ranks_.size(); ++slot) {
    Carried& rank = ranks_[slot];
    if (deaths_.has(memory_.plan().node_ranks()[slot])) rank.waiting.clear();
    deliver_waiting(rank);
    for (int i = 0; i < max_at_once; ++i) {
      const auto message = rank.from_rank.front();
      if (!message) break;
      if (!pass_on(slot, *message)) {
        is_blocked_ = true;
        break;
      }
      rank.from_rank.pop();
      found = true;
    }
  }
  return found;
}

// False: the queue is full. Messages to a node that is gone are dropped.
bool Carrier::pass_on(std::uint32_t slot, const RecordReader::Record& message) {
  const NodePlan& plan = memory_.plan();
  const std::uint32_t batch = message.to ^ slot_bit;
  if (batch < BatchPlace::count)
    return handlers_.send_batch(memory_.batches(plan.node_ranks()[slot]).slots[batch]);
  if (message.to == plan.node) {
    handlers_.on_own(message.bytes);
    return true;
  }
  if (message.to >= memory_.roster().nodes()) {
    ++misdirected_;
    return true;
  }
  const Result<Posted> sent = outbox_.send_on(message.to, message.bytes);
  if (!sent) handlers_.on_cut_off(message.to);
  return !sent || *sent == Posted::accepted;
}

void Carrier::deliver(Rank to, Bytes packet) {
  if (deaths_.has(to)) return;
  Carried& rank = ranks_[memory_.roster().slot_of(to)];
  if (!rank.waiting.empty() || !hand_over(rank, packet))
    rank.waiting.emplace_back(packet.begin(), packet.end());
}

bool Carrier::hand_over(Carried& rank, Bytes packet) {
  std::byte* place = rank.to_rank.open(packet.size());
  if (place == nullptr) return false;
  std::memcpy(place, packet.data(), packet.size());
  rank.to_rank.publish();
  rank.has_news = true;
  return true;
}

void Carrier::deliver_waiting(Carried& rank) {
  while (!rank.waiting.empty() && hand_over(rank, rank.waiting.front())) rank.waiting.pop_front();
}

void Carrier::ring() {
  for (Carried& rank : ranks_)
    if (std::exchange(rank.has_news, false)) rank.bell.ring_if_asleep();
}

bool Carrier::has_messages() const {
  return outbox_.is_carrying() || std::ranges::any_of(ranks_, [](const Carried& rank) {
           return rank.from_rank.has_record() || !rank.waiting.empty();
         });
}

int Carrier::longest_sleep() {
  if (ranks_.empty()) return any_length;
  const bool are_heard = memory_.header().agent_bell.raise();
  if (!has_messages()) return are_heard ? any_length : look_again_ms;
  const bool is_new = !is_blocked_ && std::ranges::any_of(ranks_, [](const Carried& rank) {
    return rank.from_rank.has_record();
  });
  return is_new ? 0 : look_again_ms;
}

}  // namespace gondwana::remote
