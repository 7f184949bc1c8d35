#include "base/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/complain.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t widest_names = 26;  // longer names have their own line

// Carries the error of a value through CLI11.
class WrongValue : public CLI::ParseError {
 public:
  explicit WrongValue(gondwana::Error error)
      : ParseError("WrongValue", error.text, CLI::ExitCodes::ValidationError),
        error_(std::move(error)) {}

  const gondwana::Error& error() const { return error_; }

 private:
  gondwana::Error error_;
};

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::string name_of(const CLI::Option& option) {
  return option.get_name(false, true);
}

ListedOption listed(const CLI::Option& option) {
  ListedOption result{{}, option.get_type_name(), option.get_description()};
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  return result;
}

// Breaks a line at `line_width`. All lines but the first begin with `indent` spaces.
std::string fill(std::string_view line, std::size_t indent) {
  std::string text;
  std::size_t column = indent;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    if (!text.empty() && column + 1 + word.size() > line_width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!text.empty()) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::string paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    result += (line.starts_with(' ') ? std::string(line) : fill(line, 0)) + "\n";
  }
  return result;
}

std::string left_column(const CLI::Option& option) {
  const std::string& value = option.get_type_name();
  return fmt::format("{}{}{}", name_of(option), value.empty() ? "" : " ", value);
}

}  // namespace

const ListedOption* OptionList::find(std::string_view name) const {
  const auto found = std::ranges::find_if(options, [&](const ListedOption& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

CommandLine::CommandLine(std::string command, std::string usage, std::string about)
    : command_(std::move(command)),
      usage_(std::move(usage)),
      about_(std::move(about)),
      app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag("-h,--help", "print this");
}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& is_given, const std::string& text) {
  app_->add_flag(names, is_given, text);
}

void CommandLine::flag(const std::string& names, const std::function<Result<void>()>& take,
                       const std::string& text) {
  const auto set = [take](std::int64_t /*times*/) {
    if (const Result<void> taken = take(); !taken) throw WrongValue(taken.error());
  };
  app_->add_flag_function(names, set, text);
}

void CommandLine::option(const std::string& names, const std::string& value, std::string& word,
                         const std::string& text) {
  const auto set = [&word](const std::string& given) {
    word = given;
    return Result<void>();
  };
  add(names, value, set, text, false);
}

void CommandLine::option(const std::string& names, const std::string& value, Take take,
                         const std::string& text) {
  add(names, value, std::move(take), text, false);
}

void CommandLine::repeated(const std::string& names, const std::string& value,
                           std::vector<std::string>& words, const std::string& text) {
  const auto append = [&words](const std::string& given) {
    words.push_back(given);
    return Result<void>();
  };
  add(names, value, append, text, true);
}

void CommandLine::optional(const std::string& names, const std::string& value, std::string& word,
                           const std::string& text) {
  app_->add_flag(names, word, text)->type_name(value);
}

void CommandLine::operands(const std::string& name, Take take) {
  operand_ = name;
  take_operand_ = std::move(take);
}

void CommandLine::program(const std::string& name, std::vector<std::string>& words) {
  operand_ = name;
  program_ = &words;
}

void CommandLine::add(const std::string& names, const std::string& value, Take take,
                      const std::string& text, bool is_repeated) {
  const CLI::callback_t set = [this, names, take = std::move(take),
                               is_repeated](const CLI::results_t& given) {
    if (given.size() > 1 && !is_repeated) throw WrongValue(with_help(names + " is given twice"));
    for (const std::string& one : given)
      if (const Result<void> taken = take(one); !taken) throw WrongValue(taken.error());
    return true;
  };
  app_->add_option(names, set, text)->type_name(value)->take_all()->allow_extra_args(false);
}

Error CommandLine::with_help(const std::string& text) const {
  return {Errc::invalid_argument, fmt::format("{}; see gondwana {} --help", text, command_)};
}

Error CommandLine::unknown(const std::string& word) const {
  if (const std::string_view here = same_here_ != nullptr ? same_here_(word) : ""; !here.empty())
    return with_help(fmt::format("{} is not an option; did you mean {}?", word, here));
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view near = nearest(word.substr(0, word.find('=')), candidates);
  return with_help(near.empty() ? fmt::format("{} is not an option", word)
                                : fmt::format("{} is not an option; did you mean {}?", word, near));
}

// mpirun accepts long options with one or two dashes: -np, -wdir.
std::string CommandLine::with_two_dashes(const std::string& word) const {
  const bool one_dash = word.size() > 2 && word[1] != '-';
  const std::string name = "-" + word.substr(0, word.find('='));
  return one_dash && app_->get_option_no_throw(name) != nullptr ? "-" + word : word;
}

// The option whose value is the next word, for "-n" and "-ln". Null for "-n4", "-l" and "--np=4".
Result<const CLI::Option*> CommandLine::waiting_for_value(const std::string& word) const {
  const CLI::Option* none = nullptr;
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = app_->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr) return unknown(word);
    if (equals == std::string::npos) return takes_value(*option) ? option : none;
    if (equals + 1 < word.size()) return none;
    return with_help(fmt::format("{} \"\": its value is empty", name_of(*option)));
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const CLI::Option* option = app_->get_option_no_throw({'-', word[i]});
    if (option == nullptr) return unknown(word);
    if (takes_value(*option)) return i + 1 == word.size() ? option : none;
  }
  return none;
}

// Returns the options, each with its value in one word. Stores the program or the operands.
Result<std::vector<std::string>> CommandLine::split(std::span<const std::string> words) {
  std::vector<std::string> options;
  bool options_over = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--" && !options_over) {
      options_over = true;
    } else if (options_over || word.size() < 2 || word[0] != '-') {
      if (program_ != nullptr) {
        program_->assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
        break;
      }
      if (const Result<void> taken = take_operand(word); !taken) return taken.error();
    } else if (word == "-h" || word == "--help") {
      wants_help_ = true;
      break;
    } else {
      Result<std::string> option = with_value(words, at);
      if (!option) return option.error();
      options.push_back(*std::move(option));
    }
  }
  return options;
}

// The option at `at`, with its value in one word. Moves `at` to the value if that is the next word.
Result<std::string> CommandLine::with_value(std::span<const std::string> words,
                                            std::size_t& at) const {
  std::string option = with_two_dashes(words[at]);
  const Result<const CLI::Option*> waiting = waiting_for_value(option);
  if (!waiting) return waiting.error();
  if (*waiting == nullptr) return option;
  const std::string name = name_of(**waiting);
  if (++at == words.size())
    return with_help(fmt::format("{} needs a value: {}", name, (*waiting)->get_type_name()));
  if (words[at].empty()) return with_help(fmt::format("{} \"\": its value is empty", name));
  return option + (option.starts_with("--") ? "=" : "") + words[at];
}

Result<void> CommandLine::take_operand(const std::string& word) const {
  if (take_operand_) return take_operand_(word);
  return with_help(fmt::format("\"{}\": gondwana {} takes only options", word, command_));
}

Result<void> CommandLine::parse(std::span<const std::string> words) {
  const Result<std::vector<std::string>> options = split(words);
  if (!options) return options.error();
  if (wants_help_) return {};
  try {
    app_->parse(std::vector<std::string>(options->rbegin(), options->rend()));
  } catch (const CLI::CallForHelp&) {
    wants_help_ = true;
  } catch (const WrongValue& failure) {
    return failure.error();
  } catch (const CLI::ParseError& failure) {
    return with_help(failure.what());
  }
  return {};
}

std::optional<int> CommandLine::read(std::span<const std::string> words) {
  if (const Result<void> parsed = parse(words); !parsed)
    return complain(command_, parsed.error().text);
  if (!wants_help_) return std::nullopt;
  fmt::print("{}", help());
  return 0;
}

std::string CommandLine::help() const {
  std::string text;
  std::string_view usage = usage_;
  while (!usage.empty()) {
    const std::string_view line = usage.substr(0, usage.find('\n'));
    usage.remove_prefix(std::min(line.size() + 1, usage.size()));
    text += fmt::format("{} gondwana {} {}\n", text.empty() ? "Usage:" : "      ", command_, line);
  }
  text += fmt::format("\n{}\nOptions:\n", paragraphs(about_));
  std::size_t width = 0;
  for (const CLI::Option* option : app_->get_options())
    if (const std::size_t size = left_column(*option).size(); size <= widest_names)
      width = std::max(width, size);
  for (const CLI::Option* option : app_->get_options()) {
    const std::string left = left_column(*option);
    const std::string description = fill(option->get_description(), width + 4);
    text += left.size() > width ? fmt::format("  {}\n  {:{}}  {}\n", left, "", width, description)
                                : fmt::format("  {:{}}  {}\n", left, width, description);
  }
  if (!footer_.empty()) text += "\n" + paragraphs(footer_);
  return text;
}

OptionList CommandLine::list() const {
  OptionList list{{}, operand_};
  for (const CLI::Option* option : app_->get_options()) list.options.push_back(listed(*option));
  return list;
}

}  // namespace gondwana
