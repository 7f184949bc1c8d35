// Reports how ranks access the memory of others.
#include <sys/resource.h>

#include <string>

#include "bootstrap/job_memory.hpp"
#include "core/machine.hpp"
#include "report/info/ask_agent.hpp"
#include "report/info/sections.hpp"
#include "sync/atomics.hpp"

namespace gondwana::info {
namespace {

// Creates the memory of a job with one rank for each processor, as `gondwana run` does, after
// raising the limit of descriptors to the hard limit.
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
                   works ? "" : "refused: sleeping ranks poll every millisecond");
}

// A job on one node does not need libfabric.
Fact libfabric() {
  const Result<AgentAnswer> answer = ask_agent("--probe");
  if (!answer) return yes_or_no("libfabric", false, answer.error().text);
  return yes_or_no("libfabric", answer->works, answer->text.substr(0, answer->text.find('\n')));
}

}  // namespace

Section transports(Report& report) {
  return {"transports", {shared_memory(report), membarrier(), libfabric()}};
}

}  // namespace gondwana::info
