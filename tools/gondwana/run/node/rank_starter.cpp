#include "run/node/rank_starter.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "base/processors.hpp"
#include "bootstrap/protocol.hpp"
#include "core/host_name.hpp"
#include "core/variables.hpp"
#include "run/command_line/room.hpp"

namespace gondwana::launch {
namespace {

// Our library handles programs that print through the C library. Fortran and Python have their own
// buffers.
void print_by_line(EnvironmentBlock& environment) {
  const std::string name = variable(VariableId::gondwana_stdout_buffer).name;
  const std::optional<std::string_view> own = environment.value(name);
  if (own.value_or(own_setting(VariableId::gondwana_stdout_buffer).value) == "full") return;
  for (const std::string assignment : {"GFORTRAN_UNBUFFERED_PRECONNECTED=y", "PYTHONUNBUFFERED=1"})
    if (!environment.value(assignment.substr(0, assignment.find('=')))) environment.set(assignment);
}

}  // namespace

Result<void> RankStarter::prepare() {
  ::getrlimit(RLIMIT_NOFILE, &descriptors_);
  rlimit most = descriptors_;
  most.rlim_cur = most.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &most);
  if (Result<void> room = check_resources(job_); !room) return room;
  Result<std::vector<Place>> places = plan_binding(job_.binding.to, job_.ranks());
  if (!places) return Error{Errc::invalid_argument, places.error().text};
  places_ = *std::move(places);
  return {};
}

EnvironmentBlock RankStarter::environment_of(const Program& program, std::uint32_t ranks) const {
  EnvironmentBlock environment(environ);
  for (const std::string& assignment : program.environment) environment.set(assignment);
  environment.set(fmt::format("GONDWANA_SIZE={}", ranks));
  if (job_.streams.folder.empty()) print_by_line(environment);
  return environment;
}

Result<pid_t> RankStarter::start(const Program& program, EnvironmentBlock& environment,
                                 std::uint32_t rank, const Ends& ends) const {
  environment.set(fmt::format("GONDWANA_RANK={}", index(job_.node_ranks()[rank])));
  environment.set(fmt::format("{}={}", protocol::join_fd_variable, ends.join.get()));
  RankStart start;
  start.path = program.path;
  for (const std::string& word : program.words)
    start.words.push_back(const_cast<char*>(word.c_str()));
  start.words.push_back(nullptr);
  start.environment = environment.pointers();
  start.folder = program.folder;
  start.input = ends.input.get();
  start.output = ends.output.get();
  start.error = ends.error.get();
  start.join = ends.join.get();
  start.descriptors = descriptors_;
  start.has_fixed_addresses = job_.restart.replacement() == Replacement::kept;
  if (rank < places_.size()) start.processors = &places_[rank].processors;
  return start_rank(start);
}

std::string RankStarter::describe_binding(std::uint32_t rank) const {
  const std::uint32_t global = index(job_.node_ranks()[rank]);
  if (rank < places_.size()) {
    const Place& place = places_[rank];
    return fmt::format("rank {} on host {} is bound to {}: processors {}", global,
                       host_name().data(), place.name, format_processors(place.processors));
  }
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof(allowed), &allowed);
  return fmt::format("rank {} on host {} is not bound: processors {}", global, host_name().data(),
                     format_processors(allowed));
}

}  // namespace gondwana::launch
