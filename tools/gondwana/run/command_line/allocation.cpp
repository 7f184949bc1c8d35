#include "run/command_line/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

#include "bootstrap/protocol.hpp"
#include "bootstrap/started_by.hpp"
#include "core/parse.hpp"
#include "link/host_list.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {
namespace {

using Names = std::vector<std::string>;

Error wrong(std::string text) {
  return {Errc::malformed, std::move(text)};
}

std::string value_of(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text == nullptr ? "" : text;
}

Result<void> add(Names& names, std::string name) {
  if (names.size() >= max_nodes_in_range)
    return wrong(fmt::format("more than {} hosts", max_nodes_in_range));
  names.push_back(std::move(name));
  return {};
}

// Adds the names of "01-03" or "7" in brackets, between the text before and after the brackets.
Result<void> add_range(Names& names, std::string_view before, std::string_view range,
                       std::string_view after) {
  const std::string_view low = range.substr(0, range.find('-'));
  const std::string_view high = low.size() < range.size() ? range.substr(low.size() + 1) : low;
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const Result<std::uint64_t> first = parse_number(low, 0, most);
  const Result<std::uint64_t> last = parse_number(high, 0, most);
  if (!first || !last || *last < *first) return wrong(fmt::format("\"{}\" is not a range", range));
  for (std::uint64_t number = *first; number <= *last; ++number) {
    const std::string name = fmt::format("{}{:0{}}{}", before, number, low.size(), after);
    if (Result<void> added = add(names, name); !added) return added;
  }
  return {};
}

// Adds one name, which may contain one pair of brackets.
Result<void> add_names(Names& names, std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return add(names, std::string(text));
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) return wrong(fmt::format("\"{}\" has no \"]\"", text));
  const std::string_view after = text.substr(close + 1);
  if (after.find('[') != std::string_view::npos)
    return wrong(fmt::format("\"{}\" has several brackets", text));
  std::string_view ranges = text.substr(open + 1, close - open - 1);
  for (;;) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    if (Result<void> added = add_range(names, text.substr(0, open), range, after); !added)
      return added;
    if (range.size() == ranges.size()) return {};
    ranges.remove_prefix(range.size() + 1);
  }
}

// The length up to the next comma outside brackets.
std::size_t length_of_first(std::string_view text) {
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') inside = true;
    if (text[at] == ']') inside = false;
    if (text[at] == ',' && !inside) return at;
  }
  return text.size();
}

// Consecutive lines with the same host mean one host with several slots.
void add_slots(std::vector<Host>& hosts, const std::string& name, std::uint32_t slots) {
  if (hosts.empty() || hosts.back().name != name)
    hosts.push_back({name, slots});
  else
    hosts.back().slots += slots;
}

Result<std::vector<Host>> slurm_hosts(const Environment& environment) {
  const Result<Names> names = expand_host_names(value_of(environment, "SLURM_JOB_NODELIST"));
  if (!names) return wrong("SLURM_JOB_NODELIST: " + names.error().text);
  // Without SLURM_TASKS_PER_NODE no tasks were requested: use one for each processor.
  const char* variable = "SLURM_TASKS_PER_NODE";
  if (environment(variable) == nullptr) variable = "SLURM_JOB_CPUS_PER_NODE";
  const Result<std::vector<std::uint32_t>> slots = expand_counts(value_of(environment, variable));
  if (!slots) return wrong(fmt::format("{}: {}", variable, slots.error().text));
  if (slots->size() != names->size()) {
    return wrong(fmt::format("{} is for {} hosts, SLURM_JOB_NODELIST names {}", variable,
                             slots->size(), names->size()));
  }
  std::vector<Host> hosts;
  hosts.reserve(names->size());
  for (std::size_t i = 0; i < names->size(); ++i)
    hosts.push_back({(*names)[i], (*slots)[i], link::Way::srun});
  return hosts;
}

Result<std::vector<Host>> pbs_hosts(const Environment& environment) {
  Result<std::vector<Host>> lines = link::read_host_file(value_of(environment, "PBS_NODEFILE"));
  if (!lines) return wrong("PBS_NODEFILE: " + lines.error().text);
  std::vector<Host> hosts;
  for (const Host& line : *lines) add_slots(hosts, line.name, line.slots);
  return hosts;
}

Result<std::vector<Host>> lsf_hosts(const Environment& environment) {
  std::istringstream words(value_of(environment, "LSB_MCPU_HOSTS"));
  std::vector<Host> hosts;
  std::string name;
  std::string count;
  while (words >> name >> count) {
    const Result<std::uint64_t> slots = parse_number(count, 1, protocol::max_ranks);
    if (!slots) return wrong("LSB_MCPU_HOSTS: " + slots.error().text);
    add_slots(hosts, name, static_cast<std::uint32_t>(*slots));
  }
  if (hosts.empty()) return wrong("LSB_MCPU_HOSTS names no host");
  return hosts;
}

bool is_one_of_several(const Environment& environment) {
  if (environment("GONDWANA_RANK") != nullptr) return true;
  const StartedBy by = find_launcher(environment);
  return by.pmi1.has_value() || (by.claim && by.claim->size > 1);
}

}  // namespace

Result<Names> expand_host_names(std::string_view text) {
  Names names;
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    if (length == 0) return wrong("a host without a name");
    if (const Result<void> added = add_names(names, text.substr(0, length)); !added)
      return added.error();
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  if (names.empty()) return wrong("it names no host");
  return names;
}

Result<std::vector<std::uint32_t>> expand_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    std::uint64_t times = 1;
    if (const std::size_t open = word.find("(x"); open != std::string_view::npos) {
      const Result<std::uint64_t> number =
          parse_number(word.substr(open + 2, word.size() - open - 3), 1, max_nodes_in_range);
      if (!number || word.back() != ')') return wrong(fmt::format("\"{}\" is not a number", word));
      times = *number;
      word = word.substr(0, open);
    }
    const Result<std::uint64_t> count = parse_number(word, 1, protocol::max_ranks);
    if (!count) return count.error();
    if (counts.size() + times > max_nodes_in_range) return wrong("too many numbers");
    counts.insert(counts.end(), times, static_cast<std::uint32_t>(*count));
  }
  return counts;
}

Result<std::optional<std::vector<Host>>> find_allocation(const Environment& environment) {
  using Reader = Result<std::vector<Host>> (*)(const Environment&);
  constexpr std::array<std::pair<const char*, Reader>, 3> systems{
      {{"SLURM_JOB_NODELIST", slurm_hosts},
       {"PBS_NODEFILE", pbs_hosts},
       {"LSB_MCPU_HOSTS", lsf_hosts}}};
  for (const auto& [variable, read] : systems) {
    if (value_of(environment, variable).empty()) continue;
    if (is_one_of_several(environment)) return std::optional<std::vector<Host>>{};
    Result<std::vector<Host>> hosts = read(environment);
    if (!hosts) return wrong(hosts.error().text + "; name the hosts with --hosts");
    for (const Host& host : *hosts)
      if (const Result<void> named = link::check_host_name(host.name); !named)
        return wrong(fmt::format("{}: {}", variable, named.error().text));
    return std::optional(*std::move(hosts));
  }
  return std::optional<std::vector<Host>>{};
}

}  // namespace gondwana::launch
