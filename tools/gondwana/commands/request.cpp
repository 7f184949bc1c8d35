#include "commands/request.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/arguments.hpp"
#include "link/host_list.hpp"

namespace gondwana::commands {

void add_hosts(CommandLine& line, Request& request, const std::string& text) {
  const auto take = [&request](const std::string& word) -> Result<void> {
    Result<std::vector<link::Host>> hosts = link::parse_hosts(word);
    if (!hosts) return hosts.error();
    request.choice.hosts = *std::move(hosts);
    return {};
  };
  line.option("--hosts", "a,b", take, text);
}

void add_job(CommandLine& line, Request& request, const std::string& text) {
  line.operands("JOB", [&job = request.choice.job](const std::string& word) -> Result<void> {
    if (!job.empty())
      return Error{Errc::invalid_argument,
                   fmt::format("one job at a time, not {} and {}", job, word)};
    job = word;
    return {};
  });
  const auto take = [&request]() -> Result<void> {
    if (::geteuid() != 0)
      return Error{Errc::refused, "--all: only root may see jobs of other users"};
    request.choice.whose = jobs::Whose::everybody;
    return {};
  };
  line.flag("--all", take, text);
}

void add_one_job(CommandLine& line, Request& request) {
  add_hosts(line, request, "the hosts of the job, if ssh knows them by other names");
  line.flag("--here", request.choice.only_here, "only the nodes of the job on this host");
  add_job(line, request, "also jobs of other users (root only)");
}

void add_json(CommandLine& line, Request& request) {
  line.flag("--json", request.json, "the same for programs");
}

void add_seconds(CommandLine& line, const std::string& name, std::chrono::milliseconds& time,
                 const std::string& text) {
  const auto take = [&time, name](const std::string& word) -> Result<void> {
    const Result<std::chrono::milliseconds> seconds = parse_seconds(name, word);
    if (!seconds) return seconds.error();
    time = *seconds;
    return {};
  };
  line.option(name, "SECONDS", take, text);
}

}  // namespace gondwana::commands
