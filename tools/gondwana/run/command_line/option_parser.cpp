#include "run/command_line/option_parser.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "core/parse.hpp"
#include "run/command_line/foreign_options.hpp"

namespace gondwana::launch {
namespace {

using Words = std::vector<std::string>;

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
               "count calls of OpenSHMEM, GASNet-EX and ARMCI, and write a table at the end; with "
               "=FILE.html a page with pictures, for all programs of the job");
}

void add_trace_option(CLI::App& app, Choices& choices) {
  app.add_option(
         "--trace", choices.trace.file,
         "write what the ranks did last, and when, at the end and after a crash, for Perfetto")
      ->type_name("FILE");
  app.add_option("--trace-last", choices.trace.last, "only that many seconds of it")
      ->type_name("SECONDS");
}

void add_output_options(CLI::App& app, Choices& choices) {
  app.add_flag("-l,--label,--tag-output", choices.streams.label,
               "write \"[RANK] \" before each line");
  app.add_flag("--timestamp-output", choices.streams.timestamps, "write the time before each line");
  app.add_option("--output", choices.streams.folder,
                 "write to DIR/rank.N.out and DIR/rank.N.err, unlabelled, instead of here")
      ->type_name("DIR");
  app.add_option("--stdin", choices.streams.reader,
                 "the rank that gets the standard input, or none [0]")
      ->type_name("RANK");
}

void add_job_options(CLI::App& app, Choices& choices) {
  app.add_option("--timeout", choices.timeout,
                 "end the job after that many seconds, or 5m, 2h, 1d: status 124")
      ->type_name("TIME");
  app.add_option("--bind-to", choices.binding.to,
                 "keep each rank on a core, numa domain or package of its own [none]")
      ->type_name("none|core|numa|package");
  app.add_option("--gdb", choices.gdb.ranks,
                 "run these ranks under gdb, such as 0,3-5 or all: here if it is one, in windows "
                 "of tmux, or in xterms")
      ->type_name("RANKS");
  app.add_option("--gdb-args", choices.gdb.arguments,
                 "gdb starts the program with these arguments, and writes as the rank: \"-batch "
                 "-ex run -ex bt\"")
      ->type_name("WORDS");
  app.add_flag("--report-bindings", choices.binding.is_reported,
               "say on which processors each rank may run");
  app.add_flag("-v,--verbose", choices.flags.verbose, "say what is started");
  app.add_flag("--show", choices.flags.show, "print what would be run, run nothing");
  app.add_flag("--oversubscribe,--allow-run-as-root", choices.flags.ignored,
               "accepted; always allowed");
}

void add_host_options(CLI::App& app, Choices& choices) {
  app.add_option("-H,--host,--hosts", choices.hosts.list,
                 "run on these hosts, with that many ranks on each (1 unless given), over ssh")
      ->type_name("A:N,B:N,...");
  app.add_option("-f,--hostfile", choices.hosts.file,
                 "run on the hosts of this file, one in a line: NAME or NAME slots=N")
      ->type_name("FILE");
  app.add_option("-N,--ppn,--npernode", choices.hosts.ranks_each, "that many ranks on each host")
      ->type_name("N");
  app.add_option("--map-by", choices.hosts.mapping,
                 "slot: ranks fill the hosts in order, as they do anyway; ppr:N:node: as --ppn N")
      ->type_name("HOW");
}

void describe(CLI::App& app, Choices& choices) {
  app.set_help_flag("-h,--help", "print this");
  app.add_flag("--version", choices.flags.version, "print the version");
  add_program_options(app, choices);
  add_trace_option(app, choices);
  add_output_options(app, choices);
  add_host_options(app, choices);
  add_job_options(app, choices);
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  if (const std::string_view here = same_as_foreign(word); !here.empty())
    return fmt::format("{} is not an option; did you mean {}?", word, here);
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

// Whether the value of option `word` is the next word: true for "-n" and "-ln"; false for "-n4",
// "-l" and "--np=4". Nothing if there is no such option.
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

// mpirun accepts long options with one or two dashes: -np, -wdir.
std::string with_two_dashes(const CLI::App& app, const std::string& word) {
  const bool one_dash = word.size() > 2 && word[1] != '-';
  const std::string name = "-" + word.substr(0, word.find('='));
  return one_dash && app.get_option_no_throw(name) != nullptr ? "-" + word : word;
}

// Adds what follows the options, which CLI11 does not know.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: gondwana run [OPTIONS] [--] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM ...]\n";
  }
};

struct Split {
  Words options;
  Words program;
};

Result<Split> split(const CLI::App& app, std::span<const std::string> words) {
  Split result;
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    if (words[at].size() < 2 || words[at][0] != '-') break;
    if (words[at] == "--") {
      ++at;
      break;
    }
    const std::string& word = result.options.emplace_back(with_two_dashes(app, words[at]));
    const std::optional<bool> with_next = value_follows(app, word);
    if (!with_next) return wrong(unknown_option(app, words[at]));
    if (*with_next && at + 1 < words.size()) result.options.push_back(words[++at]);
  }
  result.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return result;
}

// No option makes sense with an empty value.
Result<void> check_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (takes_value(*option) && std::ranges::count(option->results(), "") > 0)
      return wrong(fmt::format("{} \"\": its value is empty", option->get_name(false, true)));
  return {};
}

}  // namespace

Result<Section> parse_options(std::span<const std::string> words) {
  CLI::App app;
  Section section;
  describe(app, section.choices);
  Result<Split> parts = split(app, words);
  if (!parts) return parts.error();
  try {
    app.parse(Words(parts->options.rbegin(), parts->options.rend()));
  } catch (const CLI::CallForHelp&) {
    section.choices.flags.help = true;
    return section;
  } catch (const CLI::ParseError& error) {
    return wrong(error.what());
  }
  if (section.choices.flags.version) return section;
  if (const Result<void> checked = check_values(app); !checked) return checked.error();
  section.program = std::move(parts->program);
  return section;
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
      "a rank that has not ended 5 s after INT or TERM, or at a second one, is killed.");
  return app.help();
}

}  // namespace gondwana::launch
