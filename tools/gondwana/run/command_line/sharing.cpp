#include "run/command_line/sharing.hpp"

#include <algorithm>

namespace gondwana::launch {
namespace {

// The programs of ranks `first` to `end` - 1.
std::vector<Program> programs_between(const Job& job, std::uint32_t first, std::uint32_t end) {
  std::vector<Program> programs;
  std::uint32_t at = 0;
  for (const Program& program : job.programs) {
    const std::uint32_t from = std::max(at, first);
    at += program.ranks;
    if (from >= std::min(at, end)) continue;
    Program& part = programs.emplace_back(program);
    part.ranks = std::min(at, end) - from;
  }
  return programs;
}

}  // namespace

std::vector<Job> share_out(const Job& job) {
  const std::vector<Host> hosts = hosts_in_use(job);
  const std::uint32_t total = job.ranks();
  std::vector<Job> parts;
  std::uint32_t first = 0;
  for (std::uint32_t node = 0; node < hosts.size(); ++node) {
    const std::uint32_t end = std::min(total, first + hosts[node].slots);
    Job& part = parts.emplace_back(job);
    part.hosts.clear();
    part.programs = programs_between(job, first, end);
    part.share = {.node = node,
                  .nodes = static_cast<std::uint32_t>(hosts.size()),
                  .first = first,
                  .total = total,
                  .max_total = job.max_ranks.value_or(0),
                  .spare_nodes = std::min(job.restart.times, RestartWish::most_nodes)};
    if (job.streams.reader && (*job.streams.reader < first || *job.streams.reader >= end))
      part.streams.reader.reset();
    first = end;
  }
  return parts;
}

std::vector<Host> split_hosts(const Job& job, std::uint32_t most) {
  std::vector<Host> whole = job.hosts;
  if (whole.empty()) whole.push_back({"localhost", job.ranks()});
  std::vector<Host> parts;
  for (const Host& host : whole)
    for (std::uint32_t left = host.slots; left > 0; left -= parts.back().slots)
      parts.push_back({host.name, std::min(most, left), host.way});
  return parts;
}

std::vector<Host> hosts_in_use(const Job& job) {
  std::vector<Host> hosts;
  std::uint64_t slots = 0;
  for (const Host& host : job.hosts) {
    if (slots >= job.ranks()) break;
    hosts.push_back(host);
    slots += host.slots;
  }
  return hosts;
}

}  // namespace gondwana::launch
