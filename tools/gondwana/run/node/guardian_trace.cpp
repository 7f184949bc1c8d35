// The trace of a job, when its ranks have ended.
#include <fmt/format.h>

#include "core/mapping.hpp"
#include "run/node/exit_status.hpp"
#include "run/node/guardian.hpp"
#include "run/written_trace.hpp"
#include "trace/wire.hpp"

namespace gondwana::launch {
namespace {

constexpr std::size_t longest_part = std::size_t{8} << 20;

Result<trace::NodeTrace> trace_of(const WireUp& wire) {
  const Result<Mapping> control =
      Mapping::shared(wire.control(), ControlLayout(wire.plan()).size());
  if (!control) return control.error();
  return trace::read_node(control->data(), wire.header().facts);
}

}  // namespace

void Guardian::deliver_trace() {
  if (!job_.trace.is_written(failed_elsewhere_ ? exit_failure : status_.value_or(0))) return;
  Result<trace::NodeTrace> node = trace::NodeTrace{};
  if (wire_.anybody_joined()) node = trace_of(wire_);
  if (!node) return output_.say("--trace: " + node.error().text);
  if (uplink_) {
    const std::string bytes = trace::encode(*node);
    for (std::size_t sent = 0; sent < bytes.size(); sent += longest_part)
      uplink_->tell(TracePart{bytes.substr(sent, longest_part)});
    return;
  }
  const Result<std::string> written = write_trace({*std::move(node)}, job_.trace);
  output_.say("--trace: " + (written ? *written : written.error().text));
  if (!written) settle(exit_failure);
}

}  // namespace gondwana::launch
