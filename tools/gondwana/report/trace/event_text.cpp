#include "report/trace/event_text.hpp"

#include <fmt/format.h>

#include "memory/control_page.hpp"

namespace gondwana::trace {
namespace {

// The meaning of an event's `bytes`, and the value that is not shown.
std::string_view bytes_label(EventKind kind) {
  if (kind == EventKind::wait) return "team";
  if (kind == EventKind::barrier) return "ranks";
  return kind == EventKind::step ? "step" : "bytes";
}
std::uint64_t default_bytes(EventKind kind) {
  return kind == EventKind::wait ? std::uint64_t{Waiting::no_team} : 0;
}

}  // namespace

std::string_view category_of(EventKind kind) {
  switch (kind) {
    case EventKind::call:
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
    case EventKind::send:
    case EventKind::word_wait:
    case EventKind::allocation:
    case EventKind::acquire:
    case EventKind::try_acquire:
    case EventKind::release:
    case EventKind::barrier:
      return "call";
    case EventKind::wait:
      return "wait";
    case EventKind::handler:
      return "message";
    case EventKind::batch:
      return "batch";
    case EventKind::step:
      return "step";
    case EventKind::region:
      return "region";
  }
  return "";
}

std::string name_of(const RankTrace& rank, const Event& event) {
  const std::string name = event.name < rank.names.size() ? rank.names[event.name] : "";
  switch (event.kind) {
    case EventKind::wait:
      if (event.peer != TraceEvent::nobody) return fmt::format("wait for rank {}", event.peer);
      return event.bytes != Waiting::no_team ? "wait for the team" : "wait";
    case EventKind::handler:
      return fmt::format("{} from rank {}", name, event.peer);
    case EventKind::batch:
      return fmt::format("batch to node {}", event.peer);
    case EventKind::region:
      return name.empty() ? "region" : name;
    default:
      return name.empty() ? "call" : name;
  }
}

std::vector<perfetto::Argument> arguments_of(const RankTrace& rank, const Event& event) {
  std::vector<perfetto::Argument> arguments;
  if (event.kind == EventKind::wait && event.name < rank.names.size() &&
      !rank.names[event.name].empty())
    arguments.push_back({"call", rank.names[event.name]});
  if (event.bytes != default_bytes(event.kind))
    arguments.push_back({bytes_label(event.kind), event.bytes});
  if (event.peer != TraceEvent::nobody && event.kind != EventKind::barrier)
    arguments.push_back(
        {event.kind == EventKind::batch ? "node" : "rank", std::uint64_t{event.peer}});
  return arguments;
}

}  // namespace gondwana::trace
