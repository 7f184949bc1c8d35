#include "run/node/trace_collection.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/mapping.hpp"
#include "observe/trace/wire.hpp"
#include "report/trace/trace_file.hpp"

namespace gondwana::launch {
namespace {

constexpr std::size_t longest_part = std::size_t{8} << 20;

}  // namespace

TraceDestination trace_destination(const Job& job, int status, bool anybody_joined) {
  const bool is_known = anybody_joined || !job.trace.file.empty();  // else no rank has joined
  if (!is_known || !job.trace.is_written(status)) return TraceDestination::nowhere;
  return job.share.has_conductor() ? TraceDestination::to_conductor : TraceDestination::to_file;
}

void send_in_parts(const std::string& bytes, std::size_t longest,
                   FunctionRef<void(const TracePart&)> send) {
  for (std::size_t begin = 0; begin < bytes.size(); begin += longest)
    send({bytes.substr(begin, longest), begin + longest >= bytes.size()});
}

bool TraceCollection::deliver(int status) {
  const TraceDestination to = trace_destination(job_, status, wire_.anybody_joined());
  if (to == TraceDestination::nowhere) return true;
  Result<trace::NodeTrace> node = read();
  if (!node) {
    streams_.say("--trace: " + node.error().text);
    return true;
  }
  if (to == TraceDestination::to_conductor) {
    send(*node);
    return true;
  }
  const Result<std::string> written = trace::write_trace(
      {*std::move(node)}, job_.trace.file, std::chrono::milliseconds(job_.trace.last_ms));
  streams_.say("--trace: " + (written ? *written : written.error().text));
  return static_cast<bool>(written);
}

// The launcher must hear from this host meanwhile, so it receives the events rank by rank.
Result<trace::NodeTrace> TraceCollection::read() {
  if (!wire_.anybody_joined()) return trace::NodeTrace{};
  const Result<Mapping> control =
      Mapping::shared(wire_.control(), ControlLayout(wire_.plan()).size());
  if (!control) return control.error();
  return trace::read_node(control->data(), wire_.facts(), [this](trace::NodeTrace& node) {
    if (streams_.uplink() == nullptr) return;
    send(node);
    node.ranks.clear();
    poller_.wait(0);
  });
}

void TraceCollection::send(const trace::NodeTrace& node) {
  send_in_parts(trace::encode(node), longest_part, [this](const TracePart& part) {
    streams_.tell(part);
    poller_.wait(0);
  });
}

}  // namespace gondwana::launch
