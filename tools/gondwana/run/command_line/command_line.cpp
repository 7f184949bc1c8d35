#include "run/command_line/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "bootstrap/protocol.hpp"
#include "core/machine.hpp"
#include "core/options.hpp"
#include "core/variables.hpp"
#include "run/command_line/allocation.hpp"
#include "run/command_line/choices.hpp"
#include "run/command_line/option_parser.hpp"
#include "run/command_line/profile.hpp"
#include "run/command_line/rank_variable.hpp"
#include "run/command_line/sharing.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {
namespace {

// Reads the options and the program of one section; ":" separates sections.
Result<void> parse_section(std::span<const std::string> words, Job& job) {
  Result<Section> section = parse_options(words);
  if (!section) return section.error();
  const Choices& choices = section->choices;
  if (choices.flags.help || choices.flags.version) {
    job.purpose = choices.flags.help ? Purpose::help : Purpose::version;
    return {};
  }
  if (Result<void> done = set_job(choices, job); !done) return done;
  if (section->program.empty()) return wrong("no program to run: its name is missing");
  Program& program = job.programs.emplace_back();
  program.words = std::move(section->program);
  return set_program(choices, program);
}

std::uint64_t slots_of(const Job& job) {
  std::uint64_t slots = 0;
  for (const Host& host : job.hosts) slots += host.slots;
  return slots;
}

std::uint64_t ranks_of(const Job& job) {
  std::uint64_t ranks = 0;
  for (const Program& program : job.programs) ranks += program.ranks;
  return ranks;
}

// Uses the hosts of --hosts, or those of a batch system. If there are none, the job runs on this
// host.
Result<void> choose_hosts(Job& job) {
  bool is_allocated = false;
  if (job.hosts.empty()) {
    Result<std::optional<std::vector<Host>>> allocated = find_allocation(own_environment());
    if (!allocated) return allocated.error();
    is_allocated = allocated->has_value();
    job.hosts = std::move(*allocated).value_or(std::vector<Host>{});
  }
  if (job.ranks_per_host) {
    if (job.hosts.empty()) job.hosts.push_back({"localhost"});
    for (Host& host : job.hosts) host.slots = *job.ranks_per_host;
    const std::uint64_t needed = (ranks_of(job) + *job.ranks_per_host - 1) / *job.ranks_per_host;
    if (needed > job.hosts.size())
      return wrong(fmt::format("{} ranks, {} on each host, need {} hosts, of which {} {} given",
                               ranks_of(job), *job.ranks_per_host, needed, job.hosts.size(),
                               job.hosts.size() == 1 ? "is" : "are"));
  } else if (const std::uint64_t slots = slots_of(job); is_allocated && ranks_of(job) > slots) {
    const auto times = static_cast<std::uint32_t>((ranks_of(job) + slots - 1) / slots);
    for (Host& host : job.hosts) host.slots *= times;
  }
  return {};
}

// GONDWANA_TRACE requests a trace. The ranks report errors in this variable.
bool is_traced_by_variable(const Job& job) {
  Options options;
  return read_option(VariableId::gondwana_trace, environment_of_ranks(job), options) &&
         options.trace;
}

// --on-death, or GONDWANA_ON_DEATH.
Result<void> set_on_death(Job& job) {
  if (!job.on_death) {
    Options options;
    const Result<void> read =
        read_option(VariableId::gondwana_on_death, environment_of_ranks(job), options);
    if (!read) return read.error();
    job.on_death = options.on_death;
  }
  return {};
}

// --max-ranks.
Result<void> check_max_ranks(const Job& job) {
  if (!job.max_ranks) return {};
  if (hosts_in_use(job).size() == 1)
    return wrong(
        "--max-ranks: not implemented for a job on one host of --hosts; leave out --hosts to run "
        "it here, or start it on two hosts");
  if (*job.max_ranks < job.share.total)
    return wrong(fmt::format("--max-ranks {}: the job starts with {} ranks", *job.max_ranks,
                             job.share.total));
  return {};
}

Result<void> check_restart(Job& job) {
  if (job.restart.times == 0)
    return job.restart.keeps_memory ? wrong("--keep-memory without --restart") : Result<void>();
  if (job.on_death == OnDeath::end)
    return wrong("--restart with --on-death end: a death would end the job");
  job.on_death = OnDeath::go_on;
  return {};
}

// If no number of ranks is given, the ranks fill all slots of the hosts.
Result<void> count_ranks(Job& job) {
  const std::uint64_t slots = slots_of(job);
  if (slots > protocol::max_ranks)
    return wrong(
        fmt::format("hosts for {} ranks: at most {} are possible", slots, protocol::max_ranks));
  if (job.hosts.size() > max_nodes_in_range)
    return wrong(
        fmt::format("{} hosts: at most {} are possible", job.hosts.size(), max_nodes_in_range));
  if (job.programs.size() == 1 && job.programs[0].ranks == 0)
    job.programs[0].ranks = slots != 0 ? static_cast<std::uint32_t>(slots) : usable_processors();
  for (const Program& program : job.programs) {
    if (program.ranks == 0)
      return wrong(
          fmt::format("-n is missing before {}: each of several programs needs its number of ranks",
                      program.words[0]));
  }
  const std::uint64_t ranks = ranks_of(job);
  if (ranks > protocol::max_ranks)
    return wrong(fmt::format("{} ranks: at most {} are possible", ranks, protocol::max_ranks));
  if (slots != 0 && ranks > slots)
    return wrong(fmt::format("{} ranks: the hosts have slots for {}; give them more, such as {}:{}",
                             ranks, slots, job.hosts[0].name, job.hosts[0].slots + ranks - slots));
  job.share.total = static_cast<std::uint32_t>(ranks);
  return {};
}

// Checks conditions that depend on all sections.
Result<Job> complete(Job job) {
  if (const Result<void> chosen = choose_hosts(job); !chosen) return chosen.error();
  if (const Result<void> counted = count_ranks(job); !counted) return counted.error();
  if (const Result<void> checked = check_restart(job); !checked) return checked.error();
  if (const Result<void> set = set_on_death(job); !set) return set.error();
  if (const Result<void> valid = check_max_ranks(job); !valid) return valid.error();
  if (!job.gdb.arguments.empty() && job.gdb.ranks.empty())
    return wrong("--gdb-args without --gdb, which names the ranks");
  if (job.streams.reader && *job.streams.reader >= job.share.total)
    return wrong(fmt::format("--stdin {}: this job has ranks 0 to {}", *job.streams.reader,
                             job.share.total - 1));
  job.trace.after_failure = job.trace.file.empty() && is_traced_by_variable(job);
  if (job.trace.last_ms > 0 && !job.trace.is_on())
    return wrong("--trace-last without --trace, which names the file");
  if (const Result<void> done = preload_for_job(job); !done) return done.error();
  return job;
}

}  // namespace

Result<Job> parse_command_line(const std::vector<std::string>& words) {
  Job job;
  auto start = words.begin();
  for (;;) {
    const auto end = std::find(start, words.end(), ":");
    if (const Result<void> done = parse_section({start, end}, job); !done) return done.error();
    if (job.purpose == Purpose::help || job.purpose == Purpose::version) return job;
    if (end == words.end()) return complete(std::move(job));
    start = end + 1;
  }
}

}  // namespace gondwana::launch
