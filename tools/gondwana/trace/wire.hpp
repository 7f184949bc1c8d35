// Traces as bytes, for a process on another host.
#pragma once

#include <string>
#include <string_view>

#include "archive.hpp"
#include "core/result.hpp"
#include "trace/node_trace.hpp"

namespace gondwana {

constexpr std::uint8_t enumerators(EventKind /*kind*/) {
  return static_cast<std::uint8_t>(EventKind::step) + 1;
}

}  // namespace gondwana

namespace gondwana::trace {

void fields(auto& archive, Of<Event> auto& event) {
  archive(event.kind, event.is_open, event.name, event.peer, event.begin_ns, event.duration_ns);
  archive(event.place, event.bytes);
}
void fields(auto& archive, Of<ThreadTrace> auto& thread) {
  archive(thread.thread, thread.name, thread.replaced, thread.events);
}
void fields(auto& archive, Of<RankTrace> auto& rank) {
  archive(rank.rank, rank.process, rank.untraced, rank.heap, rank.heap_size, rank.globals);
  archive(rank.globals_size, rank.names, rank.threads);
}
void fields(auto& archive, Of<NodeTrace> auto& node) {
  archive(node.job, node.host, node.node, node.is_sampled, node.ahead_ns, node.error_ns);
  archive(node.ranks);
}

std::string encode(const NodeTrace& node);
Result<NodeTrace> decode(std::string_view bytes);

}  // namespace gondwana::trace
