#include "remote/agent/node_watch.hpp"

#include <algorithm>

namespace gondwana::remote {

void NodeWatch::check(std::uint64_t now_ns) {
  if (peer_timeout_ns_ == 0 || now_ns < next_check_ns_) return;
  // An agent that was stopped or had no processor received nothing meanwhile.
  const bool was_away = now_ns - next_check_ns_ > peer_timeout_ns_ / 4;
  if (now_ns >= next_round_ns_) begin_round(now_ns, was_away);
  const bool all_sent = send_beats();
  next_check_ns_ =
      all_sent ? next_round_ns_ : std::min(next_round_ns_, now_ns + peer_timeout_ns_ / 1024);
}

void NodeWatch::begin_round(std::uint64_t now_ns, bool was_away) {
  next_round_ns_ = now_ns + peer_timeout_ns_ / (all_have_answered() ? 4 : 16);
  for (std::uint32_t node = 0; node < memory_.roster().nodes(); ++node) {
    if (!needs_watch(node)) continue;
    const auto [entry, is_new] = watched_.try_emplace(node);
    Watched& watched = entry->second;
    if (is_new || was_away) watched.heard_ns = now_ns;
    if (now_ns - std::min(now_ns, watched.heard_ns) > peer_timeout_ns_)
      lose(node, NodeState::silent);
    ++watched.beats;
    watched.owes_hello = !watched.has_answered;
    watched.owes_beat = true;
  }
}

// Returns false if the endpoint was too busy for some of them.
bool NodeWatch::send_beats() {
  bool all_sent = true;
  for (auto& [node, watched] : watched_)
    if (needs_watch(node)) all_sent = greet(node, watched) && all_sent;
  return all_sent;
}

bool NodeWatch::needs_watch(std::uint32_t node) const {
  const NodeEntry& entry = memory_.entry(node);
  return node != memory_.plan().node && entry.is_used.load(std::memory_order_relaxed) != 0 &&
         entry.state.load(std::memory_order_relaxed) == NodeState::known;
}

bool NodeWatch::all_have_answered() const {
  return std::ranges::all_of(watched_, [](const auto& each) { return each.second.has_answered; });
}

// A busy endpoint may refuse the beats of many rounds, so each is repeated until it is accepted.
// The hello is repeated in each round until a reply arrives, because a provider may accept it and
// lose it together with the connection that it opens. Without a hello, the other agent drops beats.
bool NodeWatch::greet(std::uint32_t node, Watched& watched) {
  if (watched.owes_hello)
    watched.owes_hello =
        !outbox_.tell(node, {.kind = MessageKind::hello}, outbox_.endpoint().address());
  if (watched.owes_beat && !watched.owes_hello)
    watched.owes_beat = !outbox_.tell(node, {.kind = MessageKind::beat, .number = watched.beats});
  return !watched.owes_beat;
}

bool NodeWatch::hear(std::uint32_t node, std::uint64_t now_ns) {
  const auto watched = watched_.find(node);
  if (watched == watched_.end()) return false;
  watched->second.has_answered = true;
  watched->second.heard_ns = now_ns;
  return true;
}

// The first reason counts.
void NodeWatch::lose(std::uint32_t node, NodeState how) {
  auto state = NodeState::known;
  memory_.entry(node).state.compare_exchange_strong(state, how, std::memory_order_release,
                                                    std::memory_order_relaxed);
}

}  // namespace gondwana::remote
