// The process of a node agent: takes its place, says how to reach this node, and serves.
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

// A connection is a descriptor.
void raise_limit_of_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// All ranks have ended before it could serve: they did not need it.
Result<void> unless_released(const Error& error) {
  return error.code == Errc::peer_lost ? Result<void>{} : error;
}

void tell_of(std::uint64_t messages, std::string_view how) {
  if (messages == 0) return;
  std::fputs(
      fmt::format("gondwana: node agent: {} messages from the network were {}\n", messages, how)
          .c_str(),
      stderr);
}

// Used: tools that look for leaks find it here.
[[gnu::used]] constinit NodeAgent* kept = nullptr;

// A line for each kind: its name, the number of its devices, and why there are none.
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
  raise_limit_of_descriptors();
  Result<Membership> self = join_as_agent(own_environment());
  if (!self) return unless_released(self.error());
  Result<std::shared_ptr<NodeMemory>> memory =
      NodeMemory::attach(self->plan, self->control, std::nullopt, self->next_arena);
  if (!memory) return memory.error();
  register_for_heavy_fence();  // ranks sleep on words that it writes
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
  tell_of_shortened_files(**memory);
  (*memory)->nodes().write(self->plan.node, (*agent)->contact());
  if (const Result<void> told = self->launcher.say_ready(); !told)
    return unless_released(told.error());
  (*agent)->serve(self->launcher.descriptor());
  const NodeAgent::Dropped dropped = (*agent)->dropped();
  tell_of(dropped.refused, "refused: not of this job, or garbled");
  tell_of(dropped.repeated, "dropped: they came a second time");
  tell_of(dropped.misdirected, "dropped: they are of this job, but for nobody on this node");
  // The kernel closes its connections. UCX 1.13 may abort where one is not made yet.
  kept = agent->release();
  return {};
}

}  // namespace
}  // namespace gondwana

// With --probe it says by which network it would serve, or why by none, and ends; with
// --probe-kinds which devices there are.
int main(int argc, char** argv) {
  gondwana::occupy_standard_descriptors();
  // Ends with its guardian, by nobody else: a Ctrl-C is for the ranks.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  const std::string_view word = argc == 2 ? argv[1] : "";
  const bool only_probe = word == "--probe" || word == "--probe-kinds";
  const gondwana::Result<void> served =
      word == "--probe-kinds" ? gondwana::probe_kinds() : gondwana::run(only_probe);
  if (served) return 0;
  // Not by fmt::print, which throws where its starter is gone and nobody reads.
  const std::string& why = served.error().text;
  if (only_probe)
    std::puts(why.c_str());
  else
    std::fputs(fmt::format("gondwana: node agent: {}\n", why).c_str(), stderr);
  return 1;
}
