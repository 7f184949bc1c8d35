// Serialises traces for a process on another host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/archive.hpp"
#include "core/result.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana {

constexpr std::uint8_t enumerators(EventKind /*kind*/) {
  return static_cast<std::uint8_t>(last_event_kind) + 1;
}
void fields(auto& archive, Of<SeenBuffer> auto& buffer) {
  archive(buffer.begin, buffer.size, buffer.device);
}

}  // namespace gondwana

namespace gondwana::trace {

// About 30 years: sums and differences of two such times are valid times.
constexpr bool is_possible_time(std::int64_t ns) {
  constexpr std::int64_t longest = std::int64_t{1} << 60;
  return ns > -longest && ns < longest;
}

// Accepts ids as FoundJob::id_of() makes them: files are named after them. An empty text is valid
// too.
constexpr bool is_job_id(std::string_view text) {
  constexpr std::size_t digits = 8;
  return text.empty() || (text.size() == digits &&
                          text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

void fields(auto& archive, Of<Event> auto& event) {
  archive(event.kind, event.is_open, event.name, event.peer, event.begin_ns, event.duration_ns);
  archive(event.place, event.bytes, event.site);
  archive.expect(is_possible_time(event.begin_ns) && is_possible_time(event.duration_ns) &&
                 event.duration_ns >= 0);
}
void fields(auto& archive, Of<ThreadTrace> auto& thread) {
  archive(thread.thread, thread.name, thread.replaced, thread.events);
}
void fields(auto& archive, Of<Module> auto& module) {
  archive(module.file, module.base);
}
void fields(auto& archive, Of<Site> auto& site) {
  archive(site.number, site.module, site.address);
}
void fields(auto& archive, Of<RankTrace> auto& rank) {
  archive(rank.rank, rank.process, rank.untraced, rank.heap, rank.heap_size, rank.globals);
  archive(rank.globals_size, rank.buffers, rank.names, rank.modules, rank.sites, rank.threads);
}
void fields(auto& archive, Of<NodeTrace> auto& node) {
  archive(node.job, node.host, node.node, node.job_ranks, node.is_sampled, node.ahead_ns);
  archive(node.error_ns, node.ranks);
  archive.expect(is_job_id(node.job) && is_possible_time(node.ahead_ns) &&
                 is_possible_time(node.error_ns));
}

std::string encode(const NodeTrace& node);
Result<NodeTrace> decode(std::string_view bytes);

}  // namespace gondwana::trace
