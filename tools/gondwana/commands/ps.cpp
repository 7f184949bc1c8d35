#include "commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/complain.hpp"
#include "base/json.hpp"
#include "commands/request.hpp"
#include "observe/hosts/observer.hpp"
#include "observe/hosts/observers.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/jobs/listing.hpp"

namespace gondwana::commands {
namespace {

using jobs::Row;

class PsLine : public CommandLine {
 public:
  explicit PsLine(Request& request)
      : CommandLine(
            "ps", "[OPTIONS] [JOB]",
            "Lists your jobs on this machine, whatever launcher started them, oldest first. JOB is "
            "an id, a program or a process: then only matching jobs are listed.") {
    add_hosts(*this, request, "include jobs on these hosts, over ssh");
    add_job(*this, request, "include jobs of all users (root only)");
    add_json(*this, request);
  }
};

std::string to_json(const std::vector<Row>& rows) {
  Json items = Json::array();
  for (const Row& row : rows)
    items.push_back({{"job", row.id},
                     {"ranks", row.ranks},
                     {"nodes", row.nodes},
                     {"nodes_here", row.nodes_seen.size()},
                     {"began", row.began_s},
                     {"process", row.holder},
                     {"state", jobs::state_of(row)},
                     {"refused", row.counts.refused},
                     {"user", row.user},
                     {"hosts", row.hosts},
                     {"program", row.program}});
  return to_text(items);
}

// Finds the jobs of this user here and on other hosts. `notes` gets a message for each host or job
// that could not be examined.
std::vector<Row> find_rows(const hosts::Choice& choice, std::vector<std::string>& notes) {
  hosts::Observers others;
  others.start(choice.hosts);
  std::vector<Row> rows;
  const auto here = [&] {
    const jobs::FoundJobs found = jobs::find_jobs(choice.whose);
    rows = jobs::rows_of(found);
    if (!choice.job.empty()) {
      const std::vector<std::string> ids = jobs::ids_meant(found, choice.job);
      std::erase_if(rows, [&](const Row& row) { return std::ranges::count(ids, row.id) == 0; });
    }
    notes = found.notes;
  };
  const auto take = [&](const std::string& host, hosts::Message& answer) {
    auto* listed = std::get_if<hosts::Listed>(&answer);
    if (listed == nullptr) return;
    std::erase_if(listed->rows, [&](const Row& row) { return !jobs::may_mean(row, choice.job); });
    jobs::merge(rows, listed->rows);
    for (const std::string& note : listed->notes)
      notes.push_back(fmt::format("host {}: {}", host, note));
  };
  const bool all = choice.whose == jobs::Whose::everybody;
  others.ask(hosts::List{all}, std::chrono::milliseconds(0), here, take, [] { return true; });
  notes.insert(notes.end(), others.complaints().begin(), others.complaints().end());
  return rows;
}

}  // namespace

OptionList options_of_ps() {
  Request request;
  return PsLine(request).list();
}

int run_ps(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == hosts::observer_option) return hosts::run_observer();
  Request request;
  if (const std::optional<int> status = PsLine(request).read(words)) return *status;
  const std::string& job = request.choice.job;
  std::vector<std::string> notes;
  const std::vector<Row> rows = find_rows(request.choice, notes);
  const bool has_hosts = !request.choice.hosts.empty();
  if (request.json)
    fmt::print("{}", to_json(rows));
  else if (rows.empty() && !job.empty())
    fmt::print("{}\n",
               jobs::no_job(job, has_hosts ? "on these hosts" : "on this machine", {}).text);
  else if (rows.empty())
    fmt::print("no job of yours runs on {}\n", has_hosts ? "these hosts" : "this machine");
  else
    fmt::print("{}",
               jobs::to_text(rows, {.hosts = has_hosts,
                                    .users = request.choice.whose == jobs::Whose::everybody}));
  std::fflush(stdout);
  for (const std::string& note : notes) complain("ps", note);
  return 0;
}

}  // namespace gondwana::commands
