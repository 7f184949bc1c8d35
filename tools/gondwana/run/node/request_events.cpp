#include "run/node/request_events.hpp"

#include <utility>

#include "base/program_path.hpp"

namespace gondwana::launch {
namespace {

Result<NodeEvent> event_of(std::uint32_t asker, link::GrowJob grow, const WireUp& wire) {
  if (wire.header().needs_all.load(std::memory_order_relaxed) != 0)
    return Error{Errc::refused, "a rank uses GASNet-EX or ARMCI, whose jobs cannot grow"};
  RanksWanted wanted{.asker = asker,
                     .ranks = grow.ranks,
                     .command = {.folder = std::move(grow.folder),
                                 .words = std::move(grow.words),
                                 .hosts = std::move(grow.hosts)},
                     .path = {}};
  if (wanted.command.words.empty()) return NodeEvent(std::move(wanted));
  Result<std::string> path = find_program(wanted.command.words[0], wanted.command.folder);
  if (!path) return path.error();
  wanted.path = *std::move(path);
  return NodeEvent(std::move(wanted));
}

}  // namespace

Result<NodeEvent> event_of(std::uint32_t asker, link::JobRequest request, const WireUp& wire) {
  if (auto* grow = std::get_if<link::GrowJob>(&request.what))
    return event_of(asker, std::move(*grow), wire);
  return NodeEvent(RanksUnwanted{asker, std::move(std::get<link::ShrinkJob>(request.what).ranks),
                                 wire.can_lose_ranks()});
}

}  // namespace gondwana::launch
