#include "run/remote/host_growth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "link/host_list.hpp"
#include "run/command_line/sharing.hpp"
#include "run/node/growth.hpp"

namespace gondwana::launch {
namespace {

// Blocks of almost the same size on all hosts.
std::vector<Host> spread(std::vector<Host> hosts, std::uint32_t ranks) {
  const auto count = static_cast<std::uint32_t>(hosts.size());
  for (std::uint32_t i = 0; i < count; ++i) hosts[i].slots = ranks / count + (i < ranks % count);
  std::erase_if(hosts, [](const Host& host) { return host.slots == 0; });
  return hosts;
}

// The hosts that the asker names, with as many ranks as it says, or all hosts of the job.
Result<std::vector<Host>> hosts_for(const Job& job, const MoreWanted& wanted) {
  if (wanted.command.hosts.empty()) return spread(job.hosts, wanted.ranks);
  Result<std::vector<Host>> named = link::parse_hosts(wanted.command.hosts);
  if (!named) return named.error();
  if (wanted.command.hosts.find(':') == std::string::npos) return spread(*named, wanted.ranks);
  std::uint64_t slots = 0;
  for (const Host& host : *named) slots += host.slots;
  if (slots < wanted.ranks)
    return Error{Errc::refused, fmt::format("{} more ranks: the hosts {} have slots for {}",
                                            wanted.ranks, wanted.command.hosts, slots)};
  return named;
}

// Hosts that a batch system has given are reached in its way.
Result<void> set_ways(const Job& job, std::vector<Host>& hosts) {
  if (job.hosts.front().way == link::Way::ssh) return {};
  for (Host& host : hosts) {
    const auto known = std::ranges::find(job.hosts, host.name, &Host::name);
    if (known == job.hosts.end())
      return Error{
          Errc::refused,
          fmt::format("host {}: the job may only use the hosts that it was given", host.name)};
    host.way = known->way;
    host.slurm_job = known->slurm_job;
  }
  return {};
}

Job job_of(const Job& job, Program program, const MoreWanted& wanted, std::vector<Host> hosts) {
  Job more = job;
  program.ranks = wanted.ranks;
  if (!wanted.command.words.empty()) {
    program.words = wanted.command.words;
    program.folder = wanted.command.folder;
  }
  more.programs = {std::move(program)};
  more.hosts = std::move(hosts);
  if (job.max_on_node > 0) more.hosts = split_hosts(more, job.max_on_node);
  more.streams.reader.reset();
  more.binding.to = Binding::none;
  return more;
}

void set_places(std::vector<Job>& added, const Share& first, const Session& session,
                const JobSize& size) {
  const auto nodes = static_cast<std::uint32_t>(added.size());
  for (Job& part : added) {
    const Share local = part.share;
    part.share = first;
    part.share.node = size.nodes + local.node;
    part.share.first = size.ranks + local.first;
    part.share.session = session;
    part.share.added_nodes = size.nodes + nodes - first.nodes;
  }
}

}  // namespace

Result<GrowthPlan> plan_growth(const Job& job, const Job& first, const Program& program,
                               const JobSize& size, const MoreWanted& wanted) {
  if (!job.max_ranks) return no_growth();
  if (wanted.ranks > *job.max_ranks - size.ranks)
    return too_many_ranks(wanted.ranks, size.ranks, *job.max_ranks);
  Result<std::vector<Host>> hosts = hosts_for(job, wanted);
  if (!hosts) return hosts.error();
  if (const Result<void> set = set_ways(job, *hosts); !set) return set.error();
  const Job more = job_of(job, program, wanted, *std::move(hosts));
  GrowthPlan plan{
      .session = {size.ranks, wanted.ranks}, .hosts = hosts_in_use(more), .parts = share_out(more)};
  for (Job& part : plan.parts) part.streams.prompts = first.streams.prompts;
  set_places(plan.parts, first.share, plan.session, size);
  return plan;
}

}  // namespace gondwana::launch
