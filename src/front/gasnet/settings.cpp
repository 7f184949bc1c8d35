#include "front/gasnet/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include "core/options.hpp"

namespace gondwana::gasnet {
namespace {

// The launcher also reads this variable, and makes nodes of that many processes. If this node has
// more processes, the launcher did not see the variable.
Result<void> check_neighborhood(const Environment& environment, const Options& options,
                                std::uint32_t processes) {
  const Setting most = setting_of(variable(VariableId::gondwana_node_ranks), environment);
  const bool is_theirs = most.variable.starts_with("GASNET_");
  if (!is_theirs || options.node_ranks == 0 || options.node_ranks >= processes) return {};
  return Error{
      Errc::missing,
      fmt::format("{}={} requires a network between the {} processes of this node, but they were "
                  "started without one; set it for the launcher and all ranks, or unset it",
                  most.variable, options.node_ranks, processes)};
}

}  // namespace

Result<Settings> read_settings(const Environment& environment, std::uint32_t processes,
                               std::size_t memory) {
  const Result<Options> options = read_options(environment, Reader::gasnet);
  if (!options) return options.error();
  if (const Result<void> done = check_neighborhood(environment, *options, processes); !done)
    return done.error();
  const std::size_t largest = std::min(options->segment_limit.for_each(processes, memory),
                                       options->segments_limit.for_each(processes, memory));
  return Settings{largest, options->most_threads,
                  static_cast<std::uint32_t>(options->exit_timeout)};
}

}  // namespace gondwana::gasnet
