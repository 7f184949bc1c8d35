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

bool TraceCollection::deliver(int status) {
  if (!job_.trace.is_written(status)) return true;
  if (!wire_.anybody_joined() && job_.trace.file.empty()) return true;  // no rank has joined
  Result<trace::NodeTrace> node = read();
  if (!node) {
    streams_.say("--trace: " + node.error().text);
    return true;
  }
  if (streams_.uplink() != nullptr) {
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
  const std::string bytes = trace::encode(node);
  for (std::size_t sent = 0; sent < bytes.size(); sent += longest_part) {
    const bool is_last = sent + longest_part >= bytes.size();
    streams_.tell(TracePart{bytes.substr(sent, longest_part), is_last});
    poller_.wait(0);
  }
}

}  // namespace gondwana::launch
