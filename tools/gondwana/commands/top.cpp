#include "commands/top.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>

#include "base/arguments.hpp"
#include "base/complain.hpp"
#include "base/modules.hpp"
#include "base/wrap.hpp"
#include "commands/request.hpp"
#include "modules/screen/screen.hpp"
#include "observe/hosts/job_view.hpp"
#include "observe/jobs/watch.hpp"
#include "report/top/serve.hpp"
#include "report/top/signals.hpp"
#include "report/top/table.hpp"
#include "report/top/watcher.hpp"

namespace gondwana::commands {
namespace {

constexpr std::string_view help =
    "Usage: gondwana top [options] [JOB]\n"
    "\n"
    "Shows what the ranks of a job do: operations and bytes a second, messages to and from other\n"
    "nodes, time in waits, use of processors, operations that other nodes have not answered. JOB "
    "is\n"
    "an id that gondwana ps shows, a program, or a process of the job. Where you have one job it "
    "may be\n"
    "left out. The job notices nothing.\n"
    "\n"
    "  --hosts a,b          the hosts of the job, where they have other names than they tell each\n"
    "                       other; --here: only the nodes of the job on this host\n"
    "  --all                also jobs of other users, for root\n"
    "  --interval SECONDS   between two looks: 1 unless given\n"
    "  --sort rank|operations|put_bytes|get_bytes|messages|sleeps|waited|computed|under_way|does\n"
    "                       the column to sort by: rank unless given\n"
    "  --nodes              a row for each node, with the sums over its ranks\n"
    "  --once               one table, for scripts and where there is no terminal\n"
    "  --json               one object, likewise\n"
    "  --serve [HOST:PORT]  no table, but numbers for Prometheus until the job ends, at\n"
    "                       http://127.0.0.1:9750/metrics unless given\n"
    "\n"
    "Keys: letters sort by a column, twice the other way round; ? lists them; n shows nodes or "
    "ranks,\n"
    "arrows move, q ends.\n";

constexpr std::string_view keys =
    "? help  arrows scroll  n nodes  q quit  sort: r rank o ops w wait c cpu d does";

constexpr std::array<std::string_view, 13> help_of_keys{
    "r  sort by rank, or by node",
    "o  by operations in a second",
    "p  by bytes of puts in a second",
    "g  by bytes of gets in a second",
    "m  by messages to and from other nodes in a second",
    "s  by how often the rank fell asleep",
    "w  by the part of the time in waits",
    "c  by the use of processors",
    "u  by operations that other nodes have not answered",
    "d  by what the rank does; the same key twice sorts the other way round",
    "n  nodes in place of ranks, and back",
    "arrows, page keys, Home  move the rows",
    "q  end; any other key shows the table again"};

constexpr std::size_t enough_columns = 100;  // needed by the wide table

// Long messages are wrapped at spaces.
screen::Page page_of(const top::Table& table, std::size_t width) {
  screen::Page page;
  for (const std::string& header : table.headers) {
    const bool is_title = &header == &table.headers.back();
    std::string rest = is_title ? header : wrap_lines(header, width);
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      page.lines.push_back(rest.substr(0, end));
    page.lines.push_back(rest);
  }
  page.headers = page.lines.size();
  page.lines.insert(page.lines.end(), table.rows.begin(), table.rows.end());
  page.foot = keys;
  return page;
}

screen::Page page_of_help() {
  screen::Page page{{"KEYS"}, 1, "any key shows the table again"};
  page.lines.insert(page.lines.end(), help_of_keys.begin(), help_of_keys.end());
  return page;
}

struct Choices {
  Request request;
  bool once = false;
  std::optional<http::Address> serves;
  top::View view;
  std::chrono::milliseconds interval{1000};
};

Result<void> take_serve(Words& rest, Choices& choices) {
  // A job is named by its id or by its program.
  const std::string_view word = rest.upcoming();
  const bool is_number = !word.empty() && word.front() >= '0' && word.front() <= '9';
  const bool has_address = word.find_first_of(":[") != std::string_view::npos ||
                           (is_number && word.find('.') != std::string_view::npos);
  const Result<http::Address> address =
      top::parse_address(has_address ? rest.next() : std::string());
  if (!address) return address.error();
  choices.serves = *address;
  return {};
}

Result<void> take_interval(Words& rest, Choices& choices) {
  const Result<std::chrono::milliseconds> interval = parse_seconds("--interval", rest.next());
  if (!interval) return interval.error();
  choices.interval = *interval;
  return {};
}

Result<void> take_sort(Words& rest, Choices& choices) {
  const Result<std::size_t> column = top::find_column(rest.next());
  if (!column) return column.error();
  choices.view.sorted_by = *column;
  return {};
}

Result<Choices> parse(const std::vector<std::string>& words) {
  Choices choices;
  std::string job;
  const auto take = [&](const std::string& word, Words& rest) -> Result<void> {
    if (word == "--serve") return take_serve(rest, choices);
    if (word == "--interval") return take_interval(rest, choices);
    if (word == "--sort") return take_sort(rest, choices);
    if (word == "--once")
      choices.once = true;
    else if (word == "--nodes")
      choices.view.by_node = true;
    else
      return take_job("top", word, job);
    return {};
  };
  Result<Request> request = parse_request(words, take);
  if (!request) return request.error();
  choices.request = *std::move(request);
  choices.request.choice.job = job;
  if (choices.serves && (choices.once || choices.request.json) && !choices.request.help)
    return Error{Errc::invalid_argument,
                 fmt::format("--serve answers until the job ends: leave out {}",
                             choices.once ? "--once" : "--json")};
  return choices;
}

void act_on(int key, top::View& view) {
  if (key == 'n') view.by_node = !view.by_node;
  const auto column = std::ranges::find(top::columns(), static_cast<char>(key), &top::Column::key);
  if (key == 0 || key > 127 || column == top::columns().end()) return;
  const auto place = static_cast<std::size_t>(column - top::columns().begin());
  view.is_reversed = place == view.sorted_by && !view.is_reversed;
  view.sorted_by = place;
}

// Returns the signal that ended the display, or 0.
Result<int> show(hosts::JobView& job, const Choices& choices) {
  const Result<void*> function = find_in_module("libgondwana_screen.so", screen::screen_symbol);
  if (!function)
    return Error{Errc::missing,
                 fmt::format("the screen needs the module of Gondwana that uses ncurses: {}; use "
                             "--once",
                             function.error().text)};
  top::View view = choices.view;
  const top::Signals signals({SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT});
  top::Watcher watcher(job, choices.interval);
  bool shows_help = false;
  const std::function<screen::Page(int)> next = [&](int key) {
    if (key != 0) shows_help = key == '?' && !shows_help;
    if (shows_help) return page_of_help();
    act_on(key, view);
    const std::optional<jobs::JobSeen> seen = watcher.last();
    if (!seen) return screen::Page{{"watching ..."}, 1, std::string(keys)};
    const std::size_t width = terminal_width(STDOUT_FILENO);
    view.is_narrow = width != 0 && width < enough_columns;
    return page_of(top::table_of(*seen, view), width);
  };
  Result<int> done(0);
  reinterpret_cast<screen::RunScreen>(*function)({.next = next,
                                                  .take_signal = [&] { return signals.take(); },
                                                  .stop = [] { top::obey(SIGTSTP); }},
                                                 &done);
  return done;
}

int complain(const Error& error) {
  gondwana::complain("top", error.text);
  return 1;
}

void print(const top::Table& table) {
  for (const auto* lines : {&table.headers, &table.rows})
    for (const std::string& line : *lines) fmt::print("{}\n", line);
}

}  // namespace

int run_top(const std::vector<std::string>& words) {
  const Result<Choices> choices = parse(words);
  if (!choices) return complain(choices.error());
  if (choices->request.help) {
    fmt::print("{}", help);
    return 0;
  }
  Result<hosts::JobView> job = hosts::JobView::open(choices->request.choice);
  if (!job) return complain(job.error());
  const auto look = [&] { return job->watch(choices->interval, [] { return true; }); };
  if (choices->serves) {
    const Result<void> served = top::serve(*job, *choices->serves, choices->interval);
    return served ? 0 : complain(served.error());
  }
  if (choices->request.json) {
    fmt::print("{}", top::to_json(look()));
    return 0;
  }
  if (choices->once || ::isatty(STDOUT_FILENO) == 0) {
    print(top::table_of(look(), choices->view));
    return 0;
  }
  const Result<int> signal = show(*job, *choices);
  if (!signal) return complain(signal.error());
  if (*signal != 0) top::obey(*signal);
  return 0;
}

}  // namespace gondwana::commands
