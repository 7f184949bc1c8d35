#include "core/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/parse.hpp"

namespace gondwana {
namespace {

constexpr std::array<std::string_view, 3> heap_aliases{
    "SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "SMA_SYMMETRIC_SIZE"};

// Set by the launcher for the program, not by users.
constexpr std::array<std::string_view, 3> launcher_variables{"GONDWANA_JOIN_FD", "GONDWANA_RANK",
                                                             "GONDWANA_SIZE"};

bool is_for_programs(std::string_view name) {
  return std::ranges::find(launcher_variables, name) != launcher_variables.end();
}

template <typename Value, typename Parse>
auto into(Value Options::* member, Parse parse) {
  return [member, parse](Options& options, std::string_view text) -> Result<void> {
    auto value = parse(text);
    if (!value) return value.error();
    options.*member = static_cast<Value>(*value);
    return {};
  };
}

// Zero is the unset value; a user who asks for nothing gets the smallest heap there is.
Result<std::size_t> parse_heap(std::string_view text) {
  if (text == "auto") return std::size_t{0};
  Result<std::size_t> size = parse_size(text);
  if (size && *size == 0) return std::size_t{1};
  return size;
}

Result<std::uint64_t> parse_spins(std::string_view text) {
  return text == "auto" ? Result<std::uint64_t>(0) : parse_number(text, 1, 1'000'000'000);
}

}  // namespace

std::span<const OptionRow> option_table() {
  static const std::array rows{
      OptionRow{"GONDWANA_HEAP_SIZE", heap_aliases, "auto",
                "symmetric heap of each rank, such as 512M or 4G; auto: half of the memory of the "
                "node, shared out",
                into(&Options::heap_size, parse_heap)},
      OptionRow{"GONDWANA_HEAP_OVERCOMMIT",
                {},
                "no",
                "allow heaps that together exceed the memory of the node (pages are committed when "
                "first touched)",
                into(&Options::heap_overcommit, parse_switch)},
      OptionRow{
          "GONDWANA_SPINS",
          {},
          "auto",
          "looks at memory before a waiting rank first yields its processor; auto: many where "
          "each rank has a processor, few where not",
          into(&Options::spins, parse_spins)},
  };
  return rows;
}

Result<Options> read_options(const Environment& environment) {
  Options options;
  for (const OptionRow& row : option_table()) {
    std::string_view name = row.name;
    const char* text = environment(std::string(name).c_str());
    for (std::size_t i = 0; text == nullptr && i < row.aliases.size(); ++i) {
      name = row.aliases[i];
      text = environment(std::string(name).c_str());
    }
    const std::string value(text != nullptr ? text : row.fallback);
    if (const Result<void> assigned = row.assign(options, value); !assigned)
      return Error{Errc::invalid_argument, fmt::format("{} {}", name, assigned.error().text)};
  }
  return options;
}

std::vector<std::string> unknown_variables(char** environ) {
  constexpr std::string_view prefix = "GONDWANA_";
  std::vector<std::string_view> known;  // without the prefix, or all would be alike
  for (const OptionRow& row : option_table()) known.push_back(row.name.substr(prefix.size()));
  std::vector<std::string> sentences;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (!name.starts_with(prefix) || is_for_programs(name)) continue;
    const std::string_view own_part = name.substr(prefix.size());
    if (std::ranges::find(known, own_part) != known.end()) continue;
    const std::string_view likely = nearest(own_part, known);
    sentences.push_back(likely.empty()
                            ? fmt::format("{} is not a variable of Gondwana", name)
                            : fmt::format("{} is not a variable of Gondwana; did you mean {}{}?",
                                          name, prefix, likely));
  }
  return sentences;
}

}  // namespace gondwana
