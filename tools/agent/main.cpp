// The main program of a node agent. It joins its node, publishes how to reach the node, and serves
// requests.
#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bootstrap/join.hpp"
#include "core/machine.hpp"
#include "core/options.hpp"
#include "core/standard_descriptors.hpp"
#include "core/variables.hpp"
#include "remote/agent/agent.hpp"
#include "remote/route_choice.hpp"
#include "shortened_files.hpp"
#include "sync/atomics.hpp"

namespace gondwana {
namespace {

Result<void> probe(const network::Settings& settings) {
  const Result<std::string> network = describe_network(settings);
  if (!network) return network.error();
  fmt::print("{}\n", *network);
  return {};
}

// Each connection takes a descriptor.
void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// If all ranks end before the agent can serve, they did not need it.
Result<void> unless_released(const Error& error) {
  return error.code == Errc::peer_lost ? Result<void>{} : error;
}

void report_dropped(std::uint64_t messages, std::string_view how) {
  if (messages == 0) return;
  std::fputs(
      fmt::format("gondwana: node agent: {} messages from the network were {}\n", messages, how)
          .c_str(),
      stderr);
}

void report_dropped(const NodeAgent::Dropped& dropped) {
  report_dropped(dropped.refused, "refused: they belong to another job or are malformed");
  report_dropped(dropped.repeated, "dropped: they arrived twice");
  report_dropped(dropped.misdirected, "dropped: no rank of this node is their target");
}

// [[gnu::used]]: leak checkers find the agent through this pointer.
[[gnu::used]] constinit NodeAgent* kept = nullptr;

// Prints a line for each kind: its name, the number of its devices, and the reason if there are
// none.
Result<void> probe_kinds() {
  const Result<Options> options = read_options(own_environment());
  if (!options) return options.error();
  Kinds kinds(*options);
  for (const Kinds::Listed& kind : kinds.list())
    std::puts(fmt::format("{}\t{}\t{}", kind.name, kind.devices, kind.why_none).c_str());
  return {};
}

Result<void> run(bool only_probe) {
  const Result<Options> options = read_options(own_environment());
  if (!options) return options.error();
  Result<network::Settings> settings = network::settings_of(*options);
  if (!settings) return settings.error();
  if (only_probe) return probe(*settings);
  raise_descriptor_limit();
  Result<Membership> self = join_as_agent(own_environment());
  if (!self) return unless_released(self.error());
  Result<std::shared_ptr<NodeMemory>> memory =
      NodeMemory::attach(self->plan, self->control, std::nullopt, self->next_arena);
  if (!memory) return memory.error();
  register_for_heavy_fence();  // ranks sleep on words that the agent writes
  Result<std::unique_ptr<NodeAgent>> agent = NodeAgent::open(
      {.memory = *memory,
       .job_tag = self->job_tag,
       .settings = *std::move(settings),
       .kinds = std::make_shared<Kinds>(*options),
       .may_spin = usable_processors() > self->plan.node_ranks().size(),
       .carries = remote::goes_through_agents(options->route, self->plan.capacity()),
       .peer_timeout_s = options->peer_timeout,
       .on_shortened_file = end_because_of_file});
  if (!agent) return agent.error();
  report_shortened_files(**memory);
  (*memory)->nodes().write(self->plan.node, (*agent)->contact());
  if (const Result<void> reported = self->launcher.send_ready(); !reported)
    return unless_released(reported.error());
  (*agent)->serve(self->launcher.descriptor());
  report_dropped((*agent)->dropped());
  // The kernel closes the connections. UCX 1.13 may abort if a connection is still being
  // established.
  kept = agent->release();
  return {};
}

}  // namespace
}  // namespace gondwana

// --probe prints the network that the agent would use, or the reason why it cannot use one.
// --probe-kinds prints the available devices.
int main(int argc, char** argv) {
  gondwana::occupy_standard_descriptors();
  // Only the guardian ends the agent: a Ctrl-C is meant for the ranks.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  const std::string_view word = argc == 2 ? argv[1] : "";
  const bool only_probe = word == "--probe" || word == "--probe-kinds";
  const gondwana::Result<void> served =
      word == "--probe-kinds" ? gondwana::probe_kinds() : gondwana::run(only_probe);
  if (served) return 0;
  // fmt::print would throw if the parent has gone and nobody reads.
  const std::string& why = served.error().text;
  if (only_probe)
    std::puts(why.c_str());
  else
    std::fputs(fmt::format("gondwana: node agent: {}\n", why).c_str(), stderr);
  return 1;
}
