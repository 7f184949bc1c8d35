// The options of a command, parsed from its help text: a command needs no second table of options
// for completion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::completion {

struct HelpOption {
  std::vector<std::string> names;  // "-n", "--np"
  std::string value;               // "N", "DIR", "none|core"; empty: takes no value
  std::string text;

  // A value such as "[HOST:PORT]" is optional: the next word may be something else.
  bool has_optional_value() const { return value.starts_with('['); }
};

// The meaning of words that are not options.
enum class Operand { none, job, program };

struct HelpTable {
  std::vector<HelpOption> options;
  Operand operand = Operand::none;

  // Returns the option called `name`, or null.
  const HelpOption* find(std::string_view name) const;
};

// `help` is the output of `gondwana COMMAND --help`. A line that defines an option starts with
// spaces. The option's text follows after two or more spaces, or on the next line.
HelpTable parse_help(std::string_view help);

}  // namespace gondwana::completion
