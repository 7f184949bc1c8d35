#include "run/command_line/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <span>

#include "bootstrap/protocol.hpp"
#include "core/machine.hpp"
#include "core/parse.hpp"
#include "run/command_line/allocation.hpp"
#include "run/command_line/host_list.hpp"
#include "run/command_line/profile.hpp"
#include "run/remote/frames.hpp"

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
  std::string per_host;
  std::string mapping;
  bool version = false;
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
               "count calls of OpenSHMEM and GASNet-EX, and write a table at the end");
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
  app.add_option("--timeout", choices.timeout,
                 "end the job after so many seconds, or 5m, 2h, 1d: status 124")
      ->type_name("TIME");
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
  app.add_option("-N,--ppn,--npernode", choices.per_host, "so many ranks on each host")
      ->type_name("N");
  app.add_option("--map-by", choices.mapping,
                 "slot: ranks fill the hosts in order, as they do anyway; ppr:N:node: as --ppn N")
      ->type_name("HOW");
}

void describe(CLI::App& app, Choices& choices) {
  app.set_help_flag("-h,--help", "print this");
  app.add_flag("--version", choices.version, "print the version");
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

// "30", "0.5", "90s", "5m", "2h" or "1d", as timeout(1) takes it.
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

Result<void> set_ranks_per_host(const std::string& text, Job& job) {
  const Result<std::uint64_t> ranks = parse_number(text, 1, protocol::max_ranks);
  if (!ranks) return wrong("--ppn " + ranks.error().text);
  job.ranks_per_host = static_cast<std::uint32_t>(*ranks);
  return {};
}

// As Open MPI writes it: what concerns places within a host, and processors for all, change
// nothing.
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
      fmt::format("--map-by {}: ranks of a host have numbers that follow each other; slot and "
                  "ppr:N:node are possible, and --ppn N spreads ranks over hosts",
                  text));
}

Result<void> set_hosts(const Choices& choices, Job& job) {
  Result<void> done;
  if (!choices.per_host.empty()) done = set_ranks_per_host(choices.per_host, job);
  if (done && !choices.mapping.empty()) done = set_mapping(choices.mapping, job);
  if (!done) return done;
  if (choices.hosts.empty() && choices.host_file.empty()) return {};
  if (!job.hosts.empty() || (!choices.hosts.empty() && !choices.host_file.empty()))
    return wrong("hosts are given twice");
  Result<std::vector<Host>> hosts =
      choices.hosts.empty() ? read_host_file(choices.host_file) : parse_hosts(choices.hosts);
  if (!hosts) {
    const char* option = choices.hosts.empty() ? "--hostfile " : "";
    return Error{hosts.error().code, option + hosts.error().text};
  }
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

// No option means anything without its value, not even "not given".
Result<void> check_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (takes_value(*option) && std::ranges::count(option->results(), "") > 0)
      return wrong(fmt::format("{} \"\": its value is empty", option->get_name(false, true)));
  return {};
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
  if (choices.version) {
    job.purpose = Purpose::version;
    return {};
  }
  Result<void> done = check_values(app);
  if (done) done = set_job(choices, job);
  if (!done) return done;
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

// Those of --hosts, or those that a batch system gives; empty: this one.
Result<void> choose_hosts(Job& job) {
  bool is_allocated = false;
  if (job.hosts.empty()) {
    Result<std::optional<std::vector<Host>>> allocated =
        find_allocation([](const char* name) { return std::getenv(name); });
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

// What can be said only when all sections are known.
Result<Job> complete(Job job) {
  if (const Result<void> chosen = choose_hosts(job); !chosen) return chosen.error();
  const std::uint64_t slots = slots_of(job);
  if (slots > protocol::max_ranks)
    return wrong(
        fmt::format("hosts for {} ranks: at most {} are possible", slots, protocol::max_ranks));
  if (job.hosts.size() > most_nodes)
    return wrong(fmt::format("{} hosts: at most {} are possible", job.hosts.size(), most_nodes));
  if (job.programs.size() == 1 && job.programs[0].ranks == 0)
    job.programs[0].ranks = slots != 0 ? static_cast<std::uint32_t>(slots) : usable_processors();
  for (const Program& program : job.programs) {
    if (program.ranks == 0)
      return wrong(
          fmt::format("-n is missing before {}: of several programs each needs its number "
                      "of ranks",
                      program.words[0]));
  }
  const std::uint64_t ranks = ranks_of(job);
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
    if (job.purpose == Purpose::help || job.purpose == Purpose::version) return job;
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
