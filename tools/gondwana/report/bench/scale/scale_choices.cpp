#include "report/bench/scale/scale_choices.hpp"

#include <fmt/format.h>

#include "base/command_line.hpp"
#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"

namespace gondwana::bench::scale {
namespace {

// The values as written.
struct Words {
  std::string ranks;
  std::string node_ranks;
  std::string real;
  bool csv = false;
  bool json = false;
};

class ScaleLine : public CommandLine {
 public:
  explicit ScaleLine(Words& words)
      : CommandLine(
            "bench scale", "[OPTIONS]",
            "Reports what one rank and its node need in jobs of growing size: memory, data sent at "
            "the start, connections, and a barrier of all ranks. One rank is an engine, and the "
            "others are simulated. Larger jobs are modelled from these, and marked.") {
    option("--ranks", "MIN:MAX", words.ranks,
           "ranks of the jobs, MIN times powers of two (default: 2:1000000)");
    option("--node-ranks", "N", words.node_ranks, "ranks of a node (default: 64)");
    option("--real", "N", words.real, "measure jobs of at most that many ranks (default: 262144)");
    flag("--csv", words.csv, "all figures for a spreadsheet");
    flag("--json", words.json, "all figures");
  }
};

Error wrong(std::string text) {
  return {Errc::invalid_argument, std::move(text)};
}

Result<void> set_number(std::string_view option, std::string_view word, std::uint64_t most,
                        std::uint32_t& number) {
  if (word.empty()) return {};
  const Result<std::uint64_t> read = parse_number(word, 1, most);
  if (!read) return wrong(fmt::format("{} {}", option, read.error().text));
  number = static_cast<std::uint32_t>(*read);
  return {};
}

// Parses "2:4096"; either side may be empty.
Result<void> set_ranks(const std::string& word, ScaleChoices& choices) {
  if (word.empty()) return {};
  const Error unclear = wrong(
      fmt::format("--ranks \"{}\": expected MIN:MAX, from 2 to {}", word, protocol::max_ranks));
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return unclear;
  const auto set = [](const std::string& text, std::uint32_t& number) {
    return static_cast<bool>(set_number("--ranks", text, protocol::max_ranks, number));
  };
  const bool are_numbers =
      set(word.substr(0, colon), choices.fewest) && set(word.substr(colon + 1), choices.most);
  const bool is_range = choices.fewest >= 2 && choices.fewest <= choices.most;
  return are_numbers && is_range ? Result<void>{} : unclear;
}

}  // namespace

std::vector<std::uint32_t> ScaleChoices::sizes() const {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t ranks = fewest; ranks < most; ranks *= 2) sizes.push_back(ranks);
  sizes.push_back(most);
  return sizes;
}

Result<ScaleChoices> parse_scale(const std::vector<std::string>& words) {
  Words written;
  ScaleLine line(written);
  if (const Result<void> parsed = line.parse(words); !parsed) return parsed.error();
  ScaleChoices choices;
  if (line.wants_help()) choices.help = line.help();
  if (written.csv && written.json) return wrong("--csv or --json, not both");
  if (written.csv) choices.format = Format::csv;
  if (written.json) choices.format = Format::json;
  constexpr std::uint64_t max_ranks_of_node = 1024;
  for (const Result<void>& set :
       {set_ranks(written.ranks, choices),
        set_number("--node-ranks", written.node_ranks, max_ranks_of_node, choices.node_ranks),
        set_number("--real", written.real, protocol::max_ranks, choices.max_real_ranks)})
    if (!set) return set.error();
  return choices;
}

}  // namespace gondwana::bench::scale
