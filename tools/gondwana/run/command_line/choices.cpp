#include "run/command_line/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/arguments.hpp"
#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"
#include "link/host_list.hpp"
#include "run/command_line/profile.hpp"

namespace gondwana::launch {
namespace {

Result<void> set_variables(const Choices& choices, Program& program) {
  for (const std::string& text : choices.variables) {
    if (text.empty() || text[0] == '=')
      return wrong(fmt::format("-x \"{}\": the name is missing", text));
    if (text.find('=') != std::string::npos)
      program.environment.push_back(text);
    else if (const char* value = std::getenv(text.c_str()))
      program.environment.push_back(text + "=" + value);
    else
      return wrong(
          fmt::format("-x {}: there is no such environment variable; write {}=VALUE", text, text));
  }
  return {};
}

Result<void> set_heap(const Choices& choices, Program& program) {
  if (choices.heap.empty()) return {};
  if (const Result<std::size_t> size = parse_size(choices.heap); !size)
    return wrong("--heap " + size.error().text);
  program.environment.push_back("GONDWANA_HEAP_SIZE=" + choices.heap);
  return {};
}

// Accepts "30", "0.5", "90s", "5m", "2h" and "1d", like timeout(1).
Result<void> set_timeout(const std::string& text, Job& job) {
  constexpr std::array<std::pair<char, double>, 4> units{
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 24 * 3600}}};
  double seconds = 0;
  const char* end = text.data() + text.size();
  auto [rest, failure] = std::from_chars(text.data(), end, seconds);
  for (const auto& [letter, length] : units) {
    if (failure != std::errc{} || rest == end || *rest != letter) continue;
    seconds *= length;
    ++rest;
    break;
  }
  constexpr double a_year = 366 * 24 * 3600.0;
  if (failure != std::errc{} || rest != end || !(seconds > 0 && seconds <= a_year))
    return wrong(fmt::format("--timeout \"{}\": expected a time, such as 30, 0.5 or 5m", text));
  job.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return {};
}

Result<void> set_reader(const std::string& text, Job& job) {
  if (text == "all") {
    return Error{Errc::missing,
                 "--stdin all is not supported: one rank reads the input and can broadcast it"};
  }
  job.streams.reader.reset();
  if (text == "none") return {};
  const Result<std::uint64_t> rank = parse_number(text, 0, protocol::max_ranks);
  if (!rank) return wrong("--stdin " + rank.error().text);
  job.streams.reader = static_cast<std::uint32_t>(*rank);
  return {};
}

Result<void> set_binding(const std::string& text, Job& job) {
  constexpr std::array<std::pair<std::string_view, Binding>, 5> names{
      {{"none", Binding::none},
       {"core", Binding::core},
       {"numa", Binding::numa},
       {"package", Binding::package},
       {"socket", Binding::package}}};
  for (const auto& [name, binding] : names) {
    if (text != name) continue;
    job.binding.to = binding;
    return {};
  }
  return wrong(fmt::format("--bind-to {}: expected none, core, numa or package", text));
}

Result<void> set_on_death(const std::string& text, Job& job) {
  if (text != "end" && text != "continue")
    return wrong(fmt::format("--on-death {}: expected end or continue", text));
  job.on_death = text == "end" ? OnDeath::end : OnDeath::go_on;
  return {};
}

Result<void> set_max_ranks(const std::string& text, Job& job) {
  const Result<std::uint64_t> ranks = parse_number(text, 1, protocol::max_ranks);
  if (!ranks) return wrong("--max-ranks " + ranks.error().text);
  job.max_ranks = static_cast<std::uint32_t>(*ranks);
  return {};
}

Result<void> set_ranks_per_host(const std::string& text, Job& job) {
  const Result<std::uint64_t> ranks = parse_number(text, 1, protocol::max_ranks);
  if (!ranks) return wrong("--ppn " + ranks.error().text);
  job.ranks_per_host = static_cast<std::uint32_t>(*ranks);
  return {};
}

// Accepts Open MPI's notation. Values that concern places within a host, or the processors of each
// rank, have no effect.
Result<void> set_mapping(std::string text, Job& job) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  constexpr std::string_view modifier = ":oversubscribe";
  if (text.ends_with(modifier)) text.resize(text.size() - modifier.size());
  if (text.empty() || text == "slot" || text == "core" || text == "hwthread") return {};
  constexpr std::string_view before = "ppr:";
  constexpr std::string_view after = ":node";
  if (text.starts_with(before) && text.ends_with(after) &&
      text.size() > before.size() + after.size())
    return set_ranks_per_host(
        text.substr(before.size(), text.size() - before.size() - after.size()), job);
  return wrong(
      fmt::format("--map-by {}: ranks of a host have consecutive numbers; slot and "
                  "ppr:N:node are possible, and --ppn N spreads ranks over hosts",
                  text));
}

Result<void> set_hosts(const Choices& choices, Job& job) {
  Result<void> done;
  if (!choices.hosts.ranks_each.empty()) done = set_ranks_per_host(choices.hosts.ranks_each, job);
  if (done && !choices.hosts.mapping.empty()) done = set_mapping(choices.hosts.mapping, job);
  if (!done) return done;
  if (choices.hosts.list.empty() && choices.hosts.file.empty()) return {};
  if (!job.hosts.empty() || (!choices.hosts.list.empty() && !choices.hosts.file.empty()))
    return wrong("hosts are given twice");
  Result<std::vector<Host>> hosts = choices.hosts.list.empty()
                                        ? link::read_host_file(choices.hosts.file)
                                        : link::parse_hosts(choices.hosts.list);
  if (!hosts) {
    const char* option = choices.hosts.list.empty() ? "--hostfile " : "";
    return Error{hosts.error().code, option + hosts.error().text};
  }
  job.hosts = *std::move(hosts);
  return {};
}

// Sets a file that is written at the end, wherever the ranks run.
Result<void> set_file(std::string_view option, const std::string& name, std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(name);
  std::error_code failure;
  if (!std::filesystem::is_directory(path.parent_path(), failure))
    return wrong(
        fmt::format("{}{}: there is no folder {}", option, name, path.parent_path().string()));
  if (std::filesystem::is_directory(path, failure))
    return wrong(fmt::format("{}{}: is a folder", option, name));
  file = path.string();
  return {};
}

Result<void> set_profile_page(const Choices& choices, Job& job) {
  if (choices.profile.empty() || choices.profile == "true") return {};
  if (!choices.profile.ends_with(".html"))
    return wrong(fmt::format("--profile={}: expected the name of a page, such as profile.html",
                             choices.profile));
  return set_file("--profile=", choices.profile, job.profile.page);
}

Result<void> set_trace(const Choices& choices, Job& job) {
  if (!choices.trace.last.empty()) {
    const Result<std::chrono::milliseconds> last =
        parse_seconds("--trace-last", choices.trace.last);
    if (!last) return wrong(last.error().text);
    job.trace.last_ms = static_cast<std::uint32_t>(last->count());
  }
  if (choices.trace.file.empty()) return {};
  if (choices.trace.file.starts_with('-'))
    return wrong(fmt::format("--trace {}: expected a file", choices.trace.file));
  return set_file("--trace ", choices.trace.file, job.trace.file);
}

Result<void> set_restart(const std::string& text, Job& job) {
  const Result<std::uint64_t> times = parse_number(text, 1, RestartWish::most);
  if (!times) return wrong(fmt::format("--restart {}", times.error().text));
  job.restart.times = static_cast<std::uint32_t>(*times);
  return {};
}

}  // namespace

Result<void> set_program(const Choices& choices, Program& program) {
  if (!choices.ranks.empty()) {
    const Result<std::uint64_t> ranks = parse_number(choices.ranks, 1, protocol::max_ranks);
    if (!ranks) return wrong("-n " + ranks.error().text);
    program.ranks = static_cast<std::uint32_t>(*ranks);
  }
  program.folder = choices.folder;
  Result<void> done = set_variables(choices, program);
  if (done) done = set_heap(choices, program);
  if (done && choices.profile == "true") done = preload_profile(program.environment);
  return done;
}

Result<void> set_job(const Choices& choices, Job& job) {
  job.streams.label |= choices.streams.label;
  job.streams.timestamps |= choices.streams.timestamps;
  job.binding.is_reported |= choices.binding.is_reported;
  job.verbose |= choices.flags.verbose;
  job.restart.keeps_memory |= choices.flags.keeps_memory;
  job.profile.has_table |= choices.profile == "true";
  if (!choices.gdb.ranks.empty()) job.gdb.ranks = choices.gdb.ranks;
  if (!choices.gdb.arguments.empty()) job.gdb.arguments = choices.gdb.arguments;
  if (choices.flags.show) job.purpose = Purpose::show;
  if (!choices.streams.folder.empty()) job.streams.folder = choices.streams.folder;
  Result<void> done = set_hosts(choices, job);
  if (done) done = set_profile_page(choices, job);
  if (done) done = set_trace(choices, job);
  if (done && !choices.timeout.empty()) done = set_timeout(choices.timeout, job);
  if (done && !choices.max_ranks.empty()) done = set_max_ranks(choices.max_ranks, job);
  if (done && !choices.on_death.empty()) done = set_on_death(choices.on_death, job);
  if (done && !choices.restart.empty()) done = set_restart(choices.restart, job);
  if (done && !choices.streams.reader.empty()) done = set_reader(choices.streams.reader, job);
  if (done && !choices.binding.to.empty()) done = set_binding(choices.binding.to, job);
  return done;
}

}  // namespace gondwana::launch
