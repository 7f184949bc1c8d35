#include "commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <ranges>

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

constexpr std::string_view keys =
    "? help  arrows scroll  n nodes  q quit  sort: r rank o ops w wait c cpu d does";

constexpr std::array<std::string_view, 13> help_of_keys{
    "r  sort by rank, or by node",
    "o  by operations per second",
    "p  by bytes put per second",
    "g  by bytes got per second",
    "m  by messages to and from other nodes per second",
    "s  by how often the rank fell asleep",
    "w  by the share of time in waits",
    "c  by processor use",
    "u  by operations that other nodes have not answered",
    "d  by what the rank does; the same key again reverses the order",
    "n  show nodes or ranks",
    "arrows, page keys, Home  scroll the rows",
    "q  quit; any other key shows the table again"};

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

struct TopChoices {
  Request request;
  bool once = false;
  std::string serves;  // "true": at the usual address
  top::View view;
  std::chrono::milliseconds interval{1000};
};

class TopLine : public CommandLine {
 public:
  explicit TopLine(TopChoices& choices)
      : CommandLine(
            "top", "[OPTIONS] [JOB]",
            "Shows what the ranks of a job do: operations and bytes per second, messages to and "
            "from other nodes, time in waits, processor use, operations that other nodes have not "
            "answered. JOB is an id that gondwana ps shows, a program, or a process of the job. It "
            "may be omitted if you have only one job. The job is not disturbed.") {
    add_one_job(*this, choices.request);
    add_seconds(*this, "--interval", choices.interval, "between two updates (default: 1)");
    const auto sort = [&choices](const std::string& word) -> Result<void> {
      const Result<std::size_t> column = top::find_column(word);
      if (!column) return column.error();
      choices.view.sorted_by = *column;
      return {};
    };
    const auto fields = top::columns() | std::views::transform(&top::Column::field);
    option("--sort", fmt::format("{}", fmt::join(fields, "|")), sort,
           "the column to sort by (default: rank)");
    flag("--nodes", choices.view.by_node, "a row for each node, with the sums over its ranks");
    flag("--once", choices.once, "one table, for scripts and where there is no terminal");
    flag("--json", choices.request.json, "one object, for scripts");
    optional("--serve", "[HOST:PORT]", choices.serves,
             "serve numbers to Prometheus until the job ends, by default at "
             "http://127.0.0.1:9750/metrics");
    footer(
        "Keys: letters sort by a column, and again reverse the order; ? lists them; n shows nodes "
        "or ranks, arrows scroll, q quits.");
  }
};

// Joins --serve with the next word if this is an address. Otherwise the word is a job, which is
// named by its id or by its program.
std::vector<std::string> with_address(std::vector<std::string> words) {
  const auto serve = std::ranges::find(words, "--serve");
  if (serve == words.end() || serve + 1 == words.end()) return words;
  const std::string& word = *(serve + 1);
  const bool is_number = !word.empty() && word.front() >= '0' && word.front() <= '9';
  if (word.find_first_of(":[") == std::string::npos &&
      !(is_number && word.find('.') != std::string::npos))
    return words;
  *serve += "=" + word;
  words.erase(serve + 1);
  return words;
}

// The address of --serve, if it was given.
Result<std::optional<http::Address>> address_of(const TopChoices& choices) {
  if (choices.serves.empty()) return std::optional<http::Address>();
  if (choices.once || choices.request.json)
    return Error{Errc::invalid_argument, fmt::format("--serve answers until the job ends: omit {}",
                                                     choices.once ? "--once" : "--json")};
  const Result<http::Address> address =
      top::parse_address(choices.serves == "true" ? "" : choices.serves);
  if (!address) return address.error();
  return std::optional(*address);
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
Result<int> show(hosts::JobView& job, const TopChoices& choices) {
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
  reinterpret_cast<screen::RunScreen>(*function)(
      {.next = next,
       .take_signal = [&] { return signals.take(); },
       .stop = [] { top::take_default_action(SIGTSTP); }},
      &done);
  return done;
}

void print(const top::Table& table) {
  for (const auto* lines : {&table.headers, &table.rows})
    for (const std::string& line : *lines) fmt::print("{}\n", line);
}

}  // namespace

OptionList options_of_top() {
  TopChoices choices;
  return TopLine(choices).list();
}

int run_top(const std::vector<std::string>& words) {
  TopChoices choices;
  if (const std::optional<int> status = TopLine(choices).read(with_address(words))) return *status;
  const Result<std::optional<http::Address>> address = address_of(choices);
  if (!address) return complain("top", address.error().text);
  Result<hosts::JobView> job = hosts::JobView::open(choices.request.choice);
  if (!job) return complain("top", job.error().text);
  const auto sample = [&] { return job->watch(choices.interval, [] { return true; }); };
  if (*address) {
    const Result<void> served = top::serve(*job, **address, choices.interval);
    return served ? 0 : complain("top", served.error().text);
  }
  if (choices.request.json) {
    fmt::print("{}", top::to_json(sample()));
    return 0;
  }
  if (choices.once || ::isatty(STDOUT_FILENO) == 0) {
    print(top::table_of(sample(), choices.view));
    return 0;
  }
  const Result<int> signal = show(*job, choices);
  if (!signal) return complain("top", signal.error().text);
  if (*signal != 0) top::take_default_action(*signal);
  return 0;
}

}  // namespace gondwana::commands
