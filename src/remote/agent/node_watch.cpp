#include "remote/agent/node_watch.hpp"

#include <algorithm>

namespace gondwana::remote {

void NodeWatch::check(std::uint64_t now_ns) {
  if (peer_timeout_ns_ == 0 || now_ns < next_check_ns_) return;
  // An agent that was stopped or had no processor received nothing meanwhile.
  const bool was_away = now_ns - next_check_ns_ > peer_timeout_ns_ / 4;
  next_check_ns_ = now_ns + peer_timeout_ns_ / (all_have_answered() ? 4 : 16);
  for (std::uint32_t node = 0; node < memory_.roster().nodes(); ++node) {
    if (!needs_watch(node)) continue;
    const auto [watched, is_new] = watched_.try_emplace(node);
    if (is_new || was_away) watched->second.heard_ns = now_ns;
    greet(node, watched->second);
    if (now_ns - std::min(now_ns, watched->second.heard_ns) > peer_timeout_ns_)
      lose(node, NodeState::silent);
  }
}

bool NodeWatch::needs_watch(std::uint32_t node) const {
  const NodeEntry& entry = memory_.entry(node);
  return node != memory_.plan().node && entry.is_used.load(std::memory_order_relaxed) != 0 &&
         entry.state.load(std::memory_order_relaxed) == NodeState::known;
}

bool NodeWatch::all_have_answered() const {
  return std::ranges::all_of(watched_, [](const auto& each) { return each.second.has_answered; });
}

// A failed send counts as silence. The hello is repeated until a reply arrives, because a provider
// may accept it and lose it together with the connection that it opens.
void NodeWatch::greet(std::uint32_t node, Watched& watched) {
  if (!watched.has_answered)
    outbox_.tell(node, {.kind = MessageKind::hello}, outbox_.endpoint().address());
  outbox_.tell(node, {.kind = MessageKind::beat, .number = ++watched.beats});
}

bool NodeWatch::hear(std::uint32_t node, std::uint64_t now_ns) {
  const auto watched = watched_.find(node);
  if (watched == watched_.end()) return false;
  watched->second.has_answered = true;
  watched->second.heard_ns = now_ns;
  return true;
}

void NodeWatch::lose(std::uint32_t node, NodeState how) {
  memory_.entry(node).state.store(how, std::memory_order_release);
}

}  // namespace gondwana::remote
