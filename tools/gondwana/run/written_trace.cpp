#include "run/written_trace.hpp"

#include <fmt/format.h>

#include "trace/trace_file.hpp"

namespace gondwana::launch {

Result<std::string> write_trace(std::vector<trace::NodeTrace> nodes, const TraceWish& wish) {
  constexpr std::int64_t ns_per_ms = 1'000'000;
  trace::keep_last(nodes, wish.last_ms * ns_per_ms);
  const std::string file = wish.file.empty() && !nodes.empty()
                               ? fmt::format("gondwana-{}.pftrace", nodes.front().job)
                               : wish.file;
  Result<std::string> text = trace::summary(nodes, file);
  if (!text) return text;
  if (const Result<void> written = trace::write_trace(nodes, file); !written)
    return written.error();
  return text;
}

}  // namespace gondwana::launch
