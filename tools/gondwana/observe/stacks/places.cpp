#include "observe/stacks/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/modules.hpp"
#include "memory/stillness.hpp"

namespace gondwana::stacks {
namespace {

// Names the setting that forbids tracing, and how to allow it.
std::string tracing_restriction() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  int scope = 0;
  if (!(file >> scope) || scope == 0)
    return "a debugger is attached, or the container may not trace processes";
  const std::string name = fmt::format("kernel.yama.ptrace_scope is {}: ", scope);
  if (scope == 1) return name + "a process may trace its children only, unless root sets this to 0";
  if (scope == 2) return name + "only root may trace processes, unless root sets this to 0";
  return name + "no process may trace another until this host restarts";
}

// Suggests that the rank prints its stack itself.
std::string refused(const Error& error, pid_t process) {
  if (error.text.find("not permitted") == std::string::npos) return error.text;
  return fmt::format(
      "{}; {}; a program started with GONDWANA_BACKTRACE=yes prints its stack and continues after "
      "kill -URG {}",
      error.text, tracing_restriction(), process);
}

Result<std::vector<ThreadStack>> stacks_of(pid_t process) {
  const Result<void*> function = find_in_module("libgondwana_stacks.so", stacks_symbol);
  if (!function)
    return Error{Errc::missing,
                 fmt::format("stacks need the module of Gondwana that uses libdw: {}",
                             function.error().text)};
  Result<std::vector<ThreadStack>> stacks = std::vector<ThreadStack>{};
  reinterpret_cast<FindStacks>(*function)(process, &stacks);
  if (!stacks) return Error{stacks.error().code, refused(stacks.error(), process)};
  return stacks;
}

}  // namespace

std::vector<Place> find_places(const jobs::FoundJob& job, const std::vector<std::uint32_t>& ranks) {
  std::vector<Place> places;
  for (const jobs::FoundNode& node : job.nodes) {
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local) {
      const std::uint32_t rank = index(node.facts().ranks[local]);
      const pid_t pid = node.process(local);
      if (std::ranges::find(ranks, rank) == ranks.end() || pid == 0) continue;
      Place& place = places.emplace_back();
      place.rank = rank;
      place.pid = pid;
      // Damaged memory may name any process, which must not be stopped.
      if (has_replaced_its_program(pid, node.control()))
        place.problem = "this process has no memory of the job";
      else if (Result<std::vector<ThreadStack>> stacks = stacks_of(pid))
        place.threads = *std::move(stacks);
      else
        place.problem = stacks.error().text;
    }
  }
  return places;
}

}  // namespace gondwana::stacks
