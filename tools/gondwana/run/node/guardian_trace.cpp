// The trace of a job, when its ranks have ended.
#include <fmt/format.h>

#include <utility>

#include "base/exit_status.hpp"
#include "core/mapping.hpp"
#include "observe/trace/wire.hpp"
#include "report/trace/trace_file.hpp"
#include "run/node/guardian.hpp"

namespace gondwana::launch {
namespace {

constexpr std::size_t longest_part = std::size_t{8} << 20;

}  // namespace

void Guardian::deliver_trace() {
  if (!job_.trace.is_written(failed_elsewhere_ ? exit_failure : status_.value_or(0))) return;
  if (!wire_.anybody_joined() && job_.trace.file.empty()) return;  // no program of ours
  Result<trace::NodeTrace> node = read_trace();
  if (!node) return output_.say("--trace: " + node.error().text);
  if (uplink_) return send_trace(*node);
  const Result<std::string> written = trace::write_trace(
      {*std::move(node)}, job_.trace.file, std::chrono::milliseconds(job_.trace.last_ms));
  output_.say("--trace: " + (written ? *written : written.error().text));
  if (!written) settle(exit_failure);
}

// The launcher must hear from this host meanwhile: it gets the events rank by rank.
Result<trace::NodeTrace> Guardian::read_trace() {
  if (!wire_.anybody_joined()) return trace::NodeTrace{};
  const Result<Mapping> control =
      Mapping::shared(wire_.control(), ControlLayout(wire_.plan()).size());
  if (!control) return control.error();
  return trace::read_node(control->data(), wire_.facts(), [this](trace::NodeTrace& node) {
    if (!uplink_) return;
    send_trace(node);
    node.ranks.clear();
    poller_.wait(0);
  });
}

void Guardian::send_trace(const trace::NodeTrace& node) {
  const std::string bytes = trace::encode(node);
  for (std::size_t sent = 0; sent < bytes.size(); sent += longest_part) {
    const bool is_last = sent + longest_part >= bytes.size();
    uplink_->tell(TracePart{bytes.substr(sent, longest_part), is_last});
    poller_.wait(0);
  }
}

}  // namespace gondwana::launch
