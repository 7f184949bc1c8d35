#include "run/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>

#include "bootstrap/protocol.hpp"
#include "core/machine.hpp"
#include "core/parse.hpp"
#include "run/frames.hpp"
#include "run/host_list.hpp"
#include "run/profile.hpp"

namespace gondwana::launch {
namespace {

using Words = std::vector<std::string>;

// The options before one program, as they were written.
struct Choices {
  std::string ranks;
  Words variables;
  std::string folder;
  bool label = false;
  bool timestamps = false;
  std::string timeout;
  std::string output_folder;
  std::string reader;
  std::string binding;
  bool report_bindings = false;
  bool profile = false;
  std::string heap;
  bool verbose = false;
  bool show = false;
  bool ignored = false;
  std::string hosts;
  std::string host_file;
  std::string not_here;
};

Error wrong(std::string text) {
  return {Errc::invalid_argument, std::move(text) + "; see `gondwana run --help`"};
}

void add_program_options(CLI::App& app, Choices& choices) {
  app.add_option("-n,--np", choices.ranks,
                 "ranks to start; without it one for each processor that may be used")
      ->type_name("N");
  app.add_option(
         "-x,-E", choices.variables,
         "pass this environment variable to the ranks (on this host all are passed anyway), "
         "or set it; may be repeated")
      ->type_name("VAR[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("--heap", choices.heap, "symmetric heap of each rank: GONDWANA_HEAP_SIZE")
      ->type_name("SIZE");
  app.add_option("--wdir", choices.folder, "run the program in this folder")->type_name("DIR");
  app.add_flag("--profile", choices.profile,
               "count the program's OpenSHMEM calls, and write a table at its end");
}

void add_output_options(CLI::App& app, Choices& choices) {
  app.add_flag("-l,--label,--tag-output", choices.label, "write \"[RANK] \" before each line");
  app.add_flag("--timestamp-output", choices.timestamps, "write the time before each line");
  app.add_option("--output", choices.output_folder,
                 "write to DIR/rank.N.out and DIR/rank.N.err, unlabelled, instead of here")
      ->type_name("DIR");
  app.add_option("--stdin", choices.reader, "the rank that gets the standard input, or none [0]")
      ->type_name("RANK");
}

void add_job_options(CLI::App& app, Choices& choices) {
  app.add_option("--timeout", choices.timeout, "end the job after so many seconds: status 124")
      ->type_name("SECONDS");
  app.add_option("--bind-to", choices.binding,
                 "keep each rank on a core, numa domain or package of its own [none]")
      ->type_name("WHAT");
  app.add_flag("--report-bindings", choices.report_bindings,
               "say on which processors each rank may run");
  app.add_flag("-v,--verbose", choices.verbose, "say what is started");
  app.add_flag("--show", choices.show, "print what would be run, run nothing");
  app.add_flag("--oversubscribe,--allow-run-as-root", choices.ignored, "accepted; always allowed");
}

void add_host_options(CLI::App& app, Choices& choices) {
  app.add_option("-H,--host,--hosts", choices.hosts,
                 "run on these hosts, with so many ranks on each (1 unless given), over ssh")
      ->type_name("A:N,B:N,...");
  app.add_option("-f,--hostfile", choices.host_file,
                 "run on the hosts of this file, one in a line: NAME or NAME slots=N")
      ->type_name("FILE");
  app.add_option("--ppn,--map-by", choices.not_here,
                 "not in this version: ranks fill the hosts in order")
      ->type_name("...");
}

void describe(CLI::App& app, Choices& choices) {
  app.set_help_flag("-h,--help", "print this");
  add_program_options(app, choices);
  add_output_options(app, choices);
  add_host_options(app, choices);
  add_job_options(app, choices);
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  Words names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view near = nearest(word.substr(0, word.find('=')), candidates);
  return near.empty() ? fmt::format("{} is not an option", word)
                      : fmt::format("{} is not an option; did you mean {}?", word, near);
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// Whether the value of the option `word` is the next word: true for "-n" and "-ln", false for
// "-n4", "-l" and "--np=4". Nothing: no such option.
std::optional<bool> value_follows(const CLI::App& app, const std::string& word) {
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = app.get_option_no_throw(word.substr(0, equals));
    if (option == nullptr) return std::nullopt;
    return takes_value(*option) && equals == std::string::npos;
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const CLI::Option* option = app.get_option_no_throw({'-', word[i]});
    if (option == nullptr) return std::nullopt;
    if (takes_value(*option)) return i + 1 == word.size();
  }
  return false;
}

// mpirun writes long options with one dash or two: -np, -wdir.
std::string with_two_dashes(const CLI::App& app, const std::string& word) {
  const bool one_dash = word.size() > 2 && word[1] != '-';
  const std::string name = "-" + word.substr(0, word.find('='));
  return one_dash && app.get_option_no_throw(name) != nullptr ? "-" + word : word;
}

// Says what follows the options, which CLI11 never sees.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: gondwana run [OPTIONS] [--] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM ...]\n";
  }
};

struct Section {
  Words options;
  Words program;
};

Result<Section> split_section(const CLI::App& app, std::span<const std::string> words) {
  Section section;
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    if (words[at].size() < 2 || words[at][0] != '-') break;
    if (words[at] == "--") {
      ++at;
      break;
    }
    const std::string& word = section.options.emplace_back(with_two_dashes(app, words[at]));
    const std::optional<bool> with_next = value_follows(app, word);
    if (!with_next) return wrong(unknown_option(app, words[at]));
    if (*with_next && at + 1 < words.size()) section.options.push_back(words[++at]);
  }
  section.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return section;
}

Result<void> set_variables(const Choices& choices, Program& program) {
  for (const std::string& text : choices.variables) {
    if (text.empty() || text[0] == '=') return wrong(fmt::format("-x \"{}\": no name", text));
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

Result<void> set_program(const Choices& choices, Program& program) {
  if (!choices.ranks.empty()) {
    const Result<std::uint64_t> ranks = parse_number(choices.ranks, 1, protocol::max_ranks);
    if (!ranks) return wrong("-n " + ranks.error().text);
    program.ranks = static_cast<std::uint32_t>(*ranks);
  }
  program.folder = choices.folder;
  Result<void> done = set_variables(choices, program);
  if (done) done = set_heap(choices, program);
  if (done && choices.profile) done = preload_profile(program.environment);
  return done;
}

Result<void> set_timeout(const std::string& text, Job& job) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, seconds);
  constexpr double a_year = 366 * 24 * 3600.0;
  if (failure != std::errc{} || rest != end || !(seconds > 0 && seconds <= a_year))
    return wrong(fmt::format("--timeout \"{}\": expected seconds, such as 30 or 0.5", text));
  job.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return {};
}

Result<void> set_reader(const std::string& text, Job& job) {
  if (text == "all") {
    return Error{Errc::missing,
                 "--stdin all is not in this version: one rank reads the input; let it broadcast"};
  }
  job.reader.reset();
  if (text == "none") return {};
  const Result<std::uint64_t> rank = parse_number(text, 0, protocol::max_ranks);
  if (!rank) return wrong("--stdin " + rank.error().text);
  job.reader = static_cast<std::uint32_t>(*rank);
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
    job.binding = binding;
    return {};
  }
  return wrong(fmt::format("--bind-to {}: expected none, core, numa or package", text));
}

Result<void> set_hosts(const Choices& choices, Job& job) {
  if (!choices.not_here.empty()) {
    return Error{Errc::missing,
                 "--ppn and --map-by are not in this version: ranks fill the hosts in order; say "
                 "how many by --hosts a:4,b:4"};
  }
  if (choices.hosts.empty() && choices.host_file.empty()) return {};
  if (!job.hosts.empty() || (!choices.hosts.empty() && !choices.host_file.empty()))
    return wrong("hosts are given twice");
  Result<std::vector<Host>> hosts =
      choices.hosts.empty() ? read_host_file(choices.host_file) : parse_hosts(choices.hosts);
  if (!hosts) return hosts.error();
  job.hosts = *std::move(hosts);
  return {};
}

Result<void> set_job(const Choices& choices, Job& job) {
  job.label |= choices.label;
  job.timestamps |= choices.timestamps;
  job.report_bindings |= choices.report_bindings;
  job.verbose |= choices.verbose;
  if (choices.show) job.purpose = Purpose::show;
  if (!choices.output_folder.empty()) job.output_folder = choices.output_folder;
  Result<void> done = set_hosts(choices, job);
  if (done && !choices.timeout.empty()) done = set_timeout(choices.timeout, job);
  if (done && !choices.reader.empty()) done = set_reader(choices.reader, job);
  if (done && !choices.binding.empty()) done = set_binding(choices.binding, job);
  return done;
}

// Reads the options and the program of one section, between two ":".
Result<void> parse_section(std::span<const std::string> words, Job& job) {
  CLI::App app;
  Choices choices;
  describe(app, choices);
  Result<Section> section = split_section(app, words);
  if (!section) return section.error();
  try {
    app.parse(Words(section->options.rbegin(), section->options.rend()));
  } catch (const CLI::CallForHelp&) {
    job.purpose = Purpose::help;
    return {};
  } catch (const CLI::ParseError& error) {
    return wrong(error.what());
  }
  if (const Result<void> done = set_job(choices, job); !done) return done;
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

// What can be said only when all sections are known.
Result<Job> complete(Job job) {
  const std::uint64_t slots = slots_of(job);
  if (slots > protocol::max_ranks)
    return wrong(
        fmt::format("hosts for {} ranks: at most {} are possible", slots, protocol::max_ranks));
  if (job.hosts.size() > most_nodes)
    return wrong(fmt::format("{} hosts: at most {} are possible", job.hosts.size(), most_nodes));
  if (job.programs.size() == 1 && job.programs[0].ranks == 0)
    job.programs[0].ranks = slots != 0 ? static_cast<std::uint32_t>(slots) : usable_processors();
  std::uint64_t ranks = 0;
  for (const Program& program : job.programs) {
    if (program.ranks == 0)
      return wrong(
          fmt::format("-n is missing before {}: of several programs each needs its number "
                      "of ranks",
                      program.words[0]));
    ranks += program.ranks;
  }
  if (ranks > protocol::max_ranks)
    return wrong(fmt::format("{} ranks: at most {} are possible", ranks, protocol::max_ranks));
  if (slots != 0 && ranks > slots)
    return wrong(fmt::format("{} ranks: the hosts have room for {}; give them more, such as {}:{}",
                             ranks, slots, job.hosts[0].name, job.hosts[0].slots + ranks - slots));
  job.share.total = static_cast<std::uint32_t>(ranks);
  if (job.reader && *job.reader >= ranks)
    return wrong(fmt::format("--stdin {}: this job has ranks 0 to {}", *job.reader, ranks - 1));
  return job;
}

}  // namespace

Result<Job> parse_command_line(const Words& words) {
  Job job;
  auto start = words.begin();
  for (;;) {
    const auto end = std::find(start, words.end(), ":");
    if (const Result<void> done = parse_section({start, end}, job); !done) return done.error();
    if (job.purpose == Purpose::help) return job;
    if (end == words.end()) return complete(std::move(job));
    start = end + 1;
  }
}

std::string help_text() {
  CLI::App app(
      "Starts a program as the ranks of one job, on this machine or on several.\n\n"
      "  gondwana run -n 4 ./heat 100\n"
      "  gondwana run --hosts node1:4,node2:4 ./heat 100\n"
      "  gondwana run -n 1 ./master : -n 3 ./worker\n");
  Choices choices;
  describe(app, choices);
  app.formatter(std::make_shared<HelpFormat>());
  app.footer(
      "The exit status is the first that is not zero of any rank; 128 + n if signal n killed it;\n"
      "124 after --timeout. The first rank that dies ends the job. Signals are passed on to the "
      "ranks;\n"
      "who has not ended 5 s after INT or TERM, or at a second one, is killed.");
  return app.help();
}

}  // namespace gondwana::launch
