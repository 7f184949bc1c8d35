// The options of a command as its help lists them: completion offers what the help prints, so
// that a command has one table of its options and no second one is to be kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::completion {

struct HelpOption {
  std::vector<std::string> names;  // "-n", "--np"
  std::string value;               // "N", "DIR", "none|core"; empty: it takes none
  std::string text;

  // "[HOST:PORT]": the next word may be something else.
  bool has_optional_value() const { return value.starts_with('['); }
};

// What the words that are no options mean.
enum class Operand { none, job, program };

struct HelpTable {
  std::vector<HelpOption> options;
  Operand operand = Operand::none;

  // The option that `name` names, or null.
  const HelpOption* find(std::string_view name) const;
};

// `help`: what `gondwana COMMAND --help` prints. An option stands at the begin of a line, after
// spaces; its text follows after two spaces or more, or in the next line.
HelpTable parse_help(std::string_view help);

}  // namespace gondwana::completion
