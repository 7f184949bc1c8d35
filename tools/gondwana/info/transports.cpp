// How ranks reach the memory of others.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "bootstrap/job_memory.hpp"
#include "core/machine.hpp"
#include "info/sections.hpp"
#include "run/command_line/quote.hpp"
#include "run/node/agent_record.hpp"
#include "sync/atomics.hpp"

namespace gondwana::info {
namespace {

// Makes the memory of a job with one rank for each processor, as `gondwana run` does, with
// descriptors as far as the hard limit goes.
Result<void> try_shared_memory() {
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
  const Result<JobMemory> memory = JobMemory::create(NodeShare::whole(usable_processors()));
  if (!memory) return memory.error();
  return {};
}

Fact shared_memory(Report& report) {
  const Result<void> tried = try_shared_memory();
  if (tried) return yes_or_no("shared memory", true);
  report.problems.push_back(tried.error().text);
  return yes_or_no("shared memory", false, tried.error().text);
}

Fact membarrier() {
  const bool works = register_for_heavy_fence();
  return yes_or_no("membarrier", works,
                   works ? "" : "refused: sleeping ranks look again every millisecond");
}

// The agent has libfabric; this command is spared the time that it takes to load. A machine without
// it lacks nothing on one node.
Fact libfabric() {
  const Result<std::string> agent = launch::find_agent();
  if (!agent) return yes_or_no("libfabric", false, agent.error().text);
  const std::string command = fmt::format("{} --probe 2>&1", launch::quote(*agent));
  FILE* pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return yes_or_no("libfabric", false, "cannot start gondwana-agent");
  std::string said;
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF && letter != '\n';)
    said += static_cast<char>(letter);
  const bool works = ::pclose(pipe) == 0;
  return yes_or_no("libfabric", works, said);
}

}  // namespace

Section transports(Report& report) {
  return {"transports", {shared_memory(report), membarrier(), libfabric()}};
}

}  // namespace gondwana::info
