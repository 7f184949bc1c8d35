// The command line of a command: one table of options parses the words, prints the help and answers
// completion. All commands use it, so that errors in options read alike. Only its source file
// includes CLI11.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
class Option;
}  // namespace CLI

namespace gondwana {

struct ListedOption {
  std::vector<std::string> names;  // "-n", "--np"
  std::string value;               // "N", "DIR", "none|core"; empty: the option takes no value
  std::string text;

  // "[HOST:PORT]": the next word may not be its value.
  bool has_optional_value() const { return value.starts_with('['); }
};

struct OptionList {
  std::vector<ListedOption> options;
  std::string operand;  // "JOB", "PROGRAM" or "a|b": the other words

  // The option that `name` names, or null.
  const ListedOption* find(std::string_view name) const;
};

class CommandLine {
 public:
  using Take = std::function<Result<void>(const std::string& value)>;

  // `command`: "bench scale". `usage`: what may follow it, in one line or several.
  // `about`: paragraphs; a line that begins with a space stays as it is.
  CommandLine(std::string command, std::string usage, std::string about);
  ~CommandLine();
  CommandLine(CommandLine&&) = delete;
  CommandLine& operator=(CommandLine&&) = delete;

  // `names`: "-n,--np". parse() sets the variables, which must still exist then.
  void flag(const std::string& names, bool& is_given, const std::string& text);
  void flag(const std::string& names, const std::function<Result<void>()>& take,
            const std::string& text);
  void option(const std::string& names, const std::string& value, std::string& word,
              const std::string& text);
  void option(const std::string& names, const std::string& value, Take take,
              const std::string& text);
  // An option that may be repeated.
  void repeated(const std::string& names, const std::string& value, std::vector<std::string>& words,
                const std::string& text);
  // An option whose value follows after "=". Without a value, `word` becomes "true".
  void optional(const std::string& names, const std::string& value, std::string& word,
                const std::string& text);
  // Passes each word that is not an option to `take`.
  void operands(const std::string& name, Take take);
  // Options end at the first other word: from there on, a program and its arguments.
  void program(const std::string& name, std::vector<std::string>& words);
  // The end of the help.
  void footer(std::string text) { footer_ = std::move(text); }
  // Maps an unknown option to the equivalent option, or to an empty text.
  void names_elsewhere(std::string_view (*same_here)(std::string_view)) { same_here_ = same_here; }

  // An error names the word, a similar option and the help.
  Result<void> parse(std::span<const std::string> words);
  bool wants_help() const { return wants_help_; }
  // Parses, and prints the help or the error. Returns the exit status if the command is over.
  std::optional<int> read(std::span<const std::string> words);

  std::string help() const;
  OptionList list() const;

 private:
  void add(const std::string& names, const std::string& value, Take take, const std::string& text,
           bool is_repeated);
  Error with_help(const std::string& text) const;
  Error unknown(const std::string& word) const;
  std::string with_two_dashes(const std::string& word) const;
  Result<const CLI::Option*> waiting_for_value(const std::string& word) const;
  Result<std::vector<std::string>> split(std::span<const std::string> words);
  Result<std::string> with_value(std::span<const std::string> words, std::size_t& at) const;
  Result<void> take_operand(const std::string& word) const;

  std::string command_;
  std::string usage_;
  std::string about_;
  std::string footer_;
  std::unique_ptr<CLI::App> app_;
  std::string operand_;
  Take take_operand_;
  std::vector<std::string>* program_ = nullptr;
  std::string_view (*same_here_)(std::string_view) = nullptr;
  bool wants_help_ = false;
};

}  // namespace gondwana
