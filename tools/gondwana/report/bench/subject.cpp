#include "report/bench/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/parse.hpp"
#include "link/host_list.hpp"
#include "report/bench/chosen_peers.hpp"
#include "report/bench/subject_table.hpp"

namespace gondwana::bench {
namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;

// The values as written.
struct Words {
  std::string subject;
  std::string door;
  std::string ranks;
  std::string hosts;
  std::vector<std::string> peers;
  std::string rounds;
  std::string sizes;
  std::string report;
  bool found_peers = false;
  bool csv = false;
  bool json = false;
  bool osu = false;
};

Error wrong_subject(std::string text) {
  return {Errc::invalid_argument, std::move(text)};
}

std::string about() {
  std::string text =
      "Measures from rank 0 to the last rank, in rounds; collectives, seeds and apps on all ranks. "
      "A round measures the operation and a control, which does the same to the same memory "
      "without any library. The table shows medians over the rounds.\n"
      "\n";
  for (const Subject& subject : all_subjects())
    text += fmt::format("  {:<11} {}\n", subject.name, subject.title);
  return text + fmt::format("  {:<11} {}", "all", "every subject above");
}

class BenchLine : public CommandLine {
 public:
  explicit BenchLine(Words& words)
      : CommandLine("bench",
                    "SUBJECT [OPTIONS]\n"
                    "[all] --report FILE.html [OPTIONS]\n"
                    "compare BEFORE AFTER\n"
                    "scale [OPTIONS]",
                    about()) {
    operands(names_of_subjects("|") + "|all|compare|scale",
             [&subject = words.subject](const std::string& word) -> Result<void> {
               if (!subject.empty())
                 return wrong_subject(
                     fmt::format("one subject at a time, not {} and {}", subject, word));
               subject = word;
               return {};
             });
    option("--door", "shmem|gasnetex|armci", words.door, "the calls to measure (default: shmem)");
    option(
        "-n,--np", "N", words.ranks,
        "ranks (default: 2); apps: 1, 2, 4 to N; startup and memory: 2, 4, 8 to N (default: 16)");
    option("-H,--hosts", "A:N,B:N", words.hosts, "run on these hosts, as for gondwana run");
    flag("--peers", words.found_peers,
         "also run the same program, built for each other library of this machine, alternately");
    repeated("--peer", "oshcc=PATH,oshrun=PATH|sos=DIR|gasnet=DIR", words.peers,
             "the same for this library, given by its compiler and launcher or its folder");
    option("-m,--sizes", "MIN:MAX", words.sizes,
           "sizes in bytes, MIN times powers of two; -m 8 is one size");
    option("-r,--rounds", "N", words.rounds, "rounds (default: 20; startup 10, memory 5)");
    option("--report", "FILE.html", words.report,
           "a page with curves, ratios and data, drawn by python3");
    flag("--csv", words.csv, "the table for a spreadsheet");
    flag("--json", words.json, "the values of every round");
    flag("--osu", words.osu, "the columns of the OSU micro-benchmarks");
    footer(
        "compare reads two files of --json and reports what has changed beyond the noise of the "
        "rounds. It exits with 1 if something is slower, with 2 after an error, otherwise with 0.");
  }
};

bool is_all(const Words& words) {
  return words.subject == "all" || (words.subject.empty() && !words.report.empty());
}

Result<std::vector<Subject>> find_subjects(const Words& words) {
  const std::span<const Subject> subjects = all_subjects();
  if (is_all(words)) return std::vector<Subject>(subjects.begin(), subjects.end());
  const auto found = std::ranges::find(subjects, words.subject, &Subject::name);
  if (found != subjects.end()) return std::vector<Subject>{*found};
  const std::string names = names_of_subjects(", ");
  if (words.subject.empty())
    return wrong_subject(fmt::format("no subject given; expected {}, all", names));
  return wrong_subject(fmt::format("{} is not a subject; expected {}, all", words.subject, names));
}

// The requested door; by default the first that the subject supports.
Result<Door> find_door(const std::string& word, const Subject& subject) {
  for (const DoorName& one : all_doors)
    if (has_door(subject, one.door) && (word.empty() || word == one.word)) return one.door;
  if (!is_door(word))
    return wrong_subject(fmt::format("--door \"{}\": expected shmem, gasnetex or armci", word));
  return wrong_subject(fmt::format("{} is not measured by --door {}: it has {}", subject.name, word,
                                   door_words(subject)));
}

Result<void> set_number(std::string_view option, const std::string& word, std::uint64_t least,
                        std::uint64_t most, std::uint32_t& number) {
  if (word.empty()) return {};
  const Result<std::uint64_t> read = parse_number(word, least, most);
  if (!read) return wrong_subject(fmt::format("{} {}", option, read.error().text));
  number = static_cast<std::uint32_t>(*read);
  return {};
}

// Parses "8:1M", where either side may be empty, or one size. If several subjects are measured,
// each rounds MIN up to a size that it supports.
Result<void> set_sizes(const std::string& word, bool is_alone, Choices& choices) {
  if (word.empty()) return {};
  const Error unclear = wrong_subject(
      fmt::format("-m \"{}\": expected a size or MIN:MAX, from 1 to 1G, such as 8 or 8:64K", word));
  const std::size_t colon = word.find(':');
  const auto set = [](const std::string& text, std::uint64_t& size) {
    const Result<std::size_t> read = text.empty() ? Result<std::size_t>(size) : parse_size(text);
    if (read) size = *read;
    return static_cast<bool>(read);
  };
  if (!set(word.substr(0, colon), choices.smallest) ||
      !set(colon == std::string::npos ? word : word.substr(colon + 1), choices.largest))
    return unclear;
  const std::uint64_t unit = choices.subject.word_bytes;
  if (choices.largest < unit)
    return wrong_subject(
        fmt::format("-m \"{}\": {} needs a MAX of at least {}", word, choices.subject.name, unit));
  const bool is_range = choices.smallest > 0 && choices.smallest <= choices.largest;
  if (!is_range || choices.largest > max_bytes) return unclear;
  if (!is_alone)
    choices.smallest =
        std::min((choices.smallest + unit - 1) / unit, choices.largest / unit) * unit;
  if (choices.smallest % unit == 0) return {};
  return wrong_subject(fmt::format("-m \"{}\": {} needs a MIN that is a multiple of {}", word,
                                   choices.subject.name, unit));
}

// Sets one rank for each slot of the hosts.
Result<void> set_hosts(const std::string& word, Choices& choices) {
  if (word.empty()) return {};
  const Result<std::vector<link::Host>> hosts = link::parse_hosts(word);
  if (!hosts) return hosts.error();
  choices.ranks = 0;
  for (const link::Host& host : *hosts) choices.ranks += host.slots;
  if (choices.ranks >= 2) return {};
  return wrong_subject(fmt::format("--hosts {}: expected at least two ranks", word));
}

// A command that compares with nothing would surprise.
Result<void> check_found(const Words& words, const std::vector<Choices>& all) {
  if (!words.found_peers ||
      std::ranges::any_of(all, [](const Choices& one) { return !one.peers.empty(); }))
    return {};
  return wrong_subject(
      "--peers: no other library with this subject was found: Open MPI, MPICH and ARMCI-MPI are "
      "looked for in PATH; --peer names others");
}

Result<void> set_format(const Words& words, Choices& choices) {
  if (!words.report.empty() && (words.csv || words.json || words.osu))
    return wrong_subject("--report includes the data: omit --csv, --json and --osu");
  if (!words.report.empty() && !words.report.ends_with(".html"))
    return wrong_subject(
        fmt::format("--report \"{}\": expected a name that ends in .html", words.report));
  if ((words.csv ? 1 : 0) + (words.json ? 1 : 0) + (words.osu ? 1 : 0) > 1)
    return wrong_subject("--csv, --json or --osu, not both");
  if (words.csv) choices.format = Format::csv;
  if (words.osu) choices.format = Format::osu;
  if (words.json || !words.report.empty()) choices.format = Format::json;
  return {};
}

// An option that does not apply to the only subject is an error; with several subjects it is
// ignored.
Result<Choices> choices_of(const Words& words, const Peers& peers, const Subject& subject,
                           Door door) {
  const bool is_alone = !is_all(words);
  Choices choices{.subject = subject,
                  .door = door,
                  .ranks = subject.ranks,
                  .hosts = words.hosts,
                  .rounds = subject.rounds,
                  .smallest = subject.word_bytes,
                  .largest = subject.largest};
  if (!words.ranks.empty() && !words.hosts.empty())
    return wrong_subject("-n or --hosts, not both: --hosts says how many ranks each host has");
  if (!words.hosts.empty() && subject.kind == Kind::job)
    return wrong_subject(
        fmt::format("{} is measured on this machine only: omit --hosts", subject.name));
  if (!words.sizes.empty() && subject.axis != Axis::bytes && is_alone)
    return wrong_subject(fmt::format("{} has no sizes: omit -m", subject.name));
  for (const Result<void>& set :
       {set_number("-n", words.ranks, 2, 65536, choices.ranks), set_hosts(words.hosts, choices),
        set_number("-r", words.rounds, 3, 10000, choices.rounds),
        subject.axis == Axis::bytes ? set_sizes(words.sizes, is_alone, choices) : Result<void>{},
        set_format(words, choices)})
    if (!set) return set.error();
  Result<std::vector<Peer>> chosen = peers_for(choices, peers, is_alone);
  if (!chosen) return chosen.error();
  choices.peers = *std::move(chosen);
  return choices;
}

// Whether these words may ask for this subject. Errors in the words are reported later.
bool is_possible(const Words& words, const Subject& subject) {
  if (!words.hosts.empty() && subject.kind == Kind::job) return false;
  return find_door(words.door, subject) || !is_door(words.door);
}

Result<Request> request_of(const Words& words) {
  Request request{.measurements = {}, .page = words.report};
  const Result<std::vector<Subject>> chosen = find_subjects(words);
  if (!chosen) return chosen.error();
  const Result<Peers> peers = choose_peers(words.peers, words.found_peers, words.hosts);
  if (!peers) return peers.error();
  for (const Subject& subject : *chosen) {
    if (is_all(words) && !is_possible(words, subject)) continue;
    const Result<Door> door = find_door(words.door, subject);
    if (!door) return door.error();
    const Result<Choices> choices = choices_of(words, *peers, subject, *door);
    if (!choices) return choices.error();
    request.measurements.push_back(*choices);
  }
  if (const Result<void> found = check_found(words, request.measurements); !found)
    return found.error();
  return request;
}

}  // namespace

std::vector<std::uint32_t> Choices::rank_counts() const {
  if (subject.axis != Axis::ranks || !hosts.empty()) return {ranks};
  std::vector<std::uint32_t> counts;
  const std::uint32_t fewest = subject.kind == Kind::program ? 1 : 2;
  for (std::uint32_t count = fewest; count < ranks; count *= 2) counts.push_back(count);
  counts.push_back(ranks);
  return counts;
}

Result<Request> parse(const std::vector<std::string>& words) {
  Words written;
  BenchLine line(written);
  if (const Result<void> parsed = line.parse(words); !parsed) return parsed.error();
  return line.wants_help() ? Request{.help = line.help()} : request_of(written);
}

OptionList list_options() {
  Words words;
  return BenchLine(words).list();
}

}  // namespace gondwana::bench
