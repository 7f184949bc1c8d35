#include "ps/ps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <ctime>

#include "complain.hpp"
#include "core/printable.hpp"
#include "hosts/arguments.hpp"
#include "hosts/observer.hpp"
#include "hosts/observers.hpp"
#include "jobs/found_jobs.hpp"
#include "jobs/listing.hpp"
#include "json_text.hpp"

namespace gondwana::ps {
namespace {

using jobs::Row;

constexpr std::string_view help =
    "Usage: gondwana ps [--hosts a,b] [--json]\n"
    "\n"
    "Lists your jobs on this machine, whatever launcher started them, the oldest first.\n"
    "\n"
    "  --hosts a,b   those on these hosts too, which are reached over ssh\n"
    "  --json        the same for programs\n";

// "0:12:31", "2-03:00:00" as ps(1) has it for days.
std::string age(std::uint64_t began_s) {
  const auto now_s = static_cast<std::uint64_t>(::time(nullptr));
  const std::uint64_t s = now_s > began_s ? now_s - began_s : 0;
  const std::uint64_t days = s / 86400;
  return fmt::format("{}{:02}:{:02}:{:02}", days > 0 ? fmt::format("{}-", days) : "", s / 3600 % 24,
                     s / 60 % 60, s % 60);
}

// `hosts`: with a column of the hosts.
std::string to_text(const std::vector<Row>& rows, bool hosts) {
  std::size_t widest = 5;
  const auto hosts_of = [](const Row& row) {
    return printable(fmt::format("{}", fmt::join(row.hosts, ",")));
  };
  for (const Row& row : rows) widest = std::max(widest, hosts_of(row).size());
  const auto line = [&](const auto&... columns) {
    return fmt::format("{:<9} {:>6} {:>6} {:>9} {:<10} ", columns...);
  };
  const auto column = [&](std::string_view text) {
    return hosts ? fmt::format("{:<{}} ", text, widest) : std::string();
  };
  std::string text = line("JOB", "RANKS", "NODES", "TIME", "STATE") + column("HOSTS") + "PROGRAM\n";
  for (const Row& row : rows) {
    const std::string nodes = row.nodes_seen.size() == row.nodes
                                  ? fmt::format("{}", row.nodes)
                                  : fmt::format("{}/{}", row.nodes_seen.size(), row.nodes);
    text += line(printable(row.id), row.ranks, nodes, age(row.began_s), jobs::state_of(row)) +
            column(hosts_of(row)) + printable(row.program) + "\n";
  }
  return text;
}

std::string to_json(const std::vector<Row>& rows) {
  std::string items;
  for (const Row& row : rows)
    items += fmt::format(
        R"({}  {{"job": {}, "ranks": {}, "nodes": {}, "nodes_here": {}, "began": {}, "process": {}, )"
        R"("state": {}, "hosts": {}, "program": {}}})",
        items.empty() ? "" : ",\n", json_text(row.id), row.ranks, row.nodes, row.nodes_seen.size(),
        row.began_s, row.holder, json_text(jobs::state_of(row)),
        json_list(row.hosts, [](const std::string& host) { return json_text(host); }),
        json_text(row.program));
  return items.empty() ? "[]\n" : fmt::format("[\n{}\n]\n", items);
}

// The jobs of this user here and on other hosts, and what is to be said of hosts and jobs that
// could not be looked at.
std::vector<Row> find_rows(const hosts::Choice& choice, std::vector<std::string>& notes) {
  hosts::Observers others;
  if (!choice.only_here) others.start(choice.hosts);
  std::vector<Row> rows;
  const auto here = [&] {
    const jobs::FoundJobs found = jobs::find_jobs();
    rows = jobs::rows_of(found);
    notes = found.notes;
  };
  const auto take = [&](const std::string& host, hosts::Message& answer) {
    const auto* listed = std::get_if<hosts::Listed>(&answer);
    if (listed == nullptr) return;
    jobs::merge(rows, listed->rows);
    for (const std::string& note : listed->notes)
      notes.push_back(fmt::format("host {}: {}", host, note));
  };
  others.ask(hosts::List{}, std::chrono::milliseconds(0), here, take, [] { return true; });
  notes.insert(notes.end(), others.complaints().begin(), others.complaints().end());
  return rows;
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == hosts::observer_option) return hosts::run_observer();
  const Result<hosts::Request> request =
      hosts::parse(words, [](const std::string& word, hosts::Words& /*rest*/) -> Result<void> {
        return Error{Errc::invalid_argument,
                     fmt::format("{} is no option; see gondwana ps --help", word)};
      });
  if (!request) {
    complain("ps", request.error().text);
    return 1;
  }
  if (request->help) {
    fmt::print("{}", help);
    return 0;
  }
  std::vector<std::string> notes;
  const std::vector<Row> rows = find_rows(request->choice, notes);
  const bool has_hosts = !request->choice.hosts.empty();
  if (request->json)
    fmt::print("{}", to_json(rows));
  else if (rows.empty())
    fmt::print("no job of yours runs on {}\n", has_hosts ? "these hosts" : "this machine");
  else
    fmt::print("{}", to_text(rows, has_hosts));
  std::fflush(stdout);
  for (const std::string& note : notes) complain("ps", note);
  return 0;
}

}  // namespace gondwana::ps
