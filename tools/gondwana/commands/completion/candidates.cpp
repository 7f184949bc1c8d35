#include "commands/completion/candidates.hpp"

#include <algorithm>
#include <utility>

#include "commands/list.hpp"

namespace gondwana::completion {
namespace {

// The context of the word at the cursor, from the words before it.
struct Place {
  const ListedOption* option = nullptr;  // the option whose value the word is, or may be
  std::size_t operands = 0;              // operands before the word
  std::size_t program = 0;               // index of the program that ranks run; 0: none yet
  bool options_over = false;             // "--" precedes the word
};

// bash splits "--name=value" into three words.
bool is_equals(const std::string& word, const Place& place) {
  return word == "=" && place.option != nullptr;
}

Place next(const OptionList& list, Place place, const std::string& word, std::size_t at) {
  if (list.operand == "PROGRAM" && word == ":") return {};
  if (place.program != 0 || is_equals(word, place)) return place;
  const ListedOption* option = std::exchange(place.option, nullptr);
  const bool is_option = !place.options_over && word.size() > 1 && word.starts_with('-');
  if (option != nullptr && !(option->has_optional_value() && is_option)) return place;
  if (is_option) {
    place.options_over = word == "--";
    const ListedOption* found = list.find(word);
    if (found != nullptr && !found->value.empty()) place.option = found;
    return place;
  }
  ++place.operands;
  if (list.operand == "PROGRAM") place.program = at;
  return place;
}

void add_choices(std::string_view choices, const std::string& before, Answer& answer) {
  for (;;) {
    const std::size_t end = choices.find('|');
    answer.candidates.push_back({before + std::string(choices.substr(0, end)), ""});
    if (end == std::string_view::npos) return;
    choices.remove_prefix(end + 1);
  }
}

// `what` is the name of the value in the help. `before` is the part of the word before the value:
// "--name=" or nothing.
Answer values_of(const std::string& what, const std::string& before) {
  Answer answer;
  if (what.find('|') != std::string::npos)
    add_choices(what, before, answer);
  else if (what == "DIR")
    answer.from_shell = FromShell::folders;
  else if (what.starts_with("FILE"))
    answer.from_shell = FromShell::files;
  else if (what == "PROGRAM")
    answer.from_shell = FromShell::programs;
  return answer;
}

void add_options(const OptionList& list, Answer& answer) {
  for (const ListedOption& option : list.options)
    for (const std::string& name : option.names) answer.candidates.push_back({name, option.text});
}

Answer operands_of(const OptionList& list, const Place& place, const Sources& sources) {
  if (list.operand == "JOB" && place.operands == 0) return {.candidates = sources.jobs()};
  if (!list.operand.empty() && list.operand != "JOB" && place.operands == 0)
    return values_of(list.operand, "");
  Answer answer;
  add_options(list, answer);
  return answer;
}

Answer complete_command(std::span<const std::string> words, const Sources& sources) {
  const OptionList list = sources.options(words[1]);
  Place place;
  for (std::size_t i = 2; i + 1 < words.size(); ++i) place = next(list, place, words[i], i);
  const std::string& word = words.back();
  if (place.program != 0) return {{}, FromShell::command, place.program};
  const bool is_option = word.starts_with('-') && !place.options_over;
  if (place.option != nullptr && !(is_option && place.option->has_optional_value()))
    return values_of(place.option->value, "");
  if (!is_option) return operands_of(list, place, sources);
  if (const std::size_t equals = word.find('='); equals != std::string::npos) {
    const ListedOption* option = list.find(word.substr(0, equals));
    return option != nullptr ? values_of(option->value, word.substr(0, equals + 1)) : Answer{};
  }
  Answer answer;
  add_options(list, answer);
  return answer;
}

Answer list_commands() {
  Answer answer;
  for (const auto& [name, usage, text] : commands::list)
    if (std::ranges::find(answer.candidates, name, &Candidate::word) == answer.candidates.end())
      answer.candidates.push_back({std::string(name), std::string(text)});
  return answer;
}

bool is_command(const std::string& word) {
  return std::ranges::find(commands::list, word, &commands::ListedCommand::name) !=
         commands::list.end();
}

}  // namespace

Answer complete(std::span<const std::string> words, const Sources& sources) {
  if (words.size() < 2) return {};
  Answer answer;
  if (words.size() == 2)
    answer = list_commands();
  else if (!words[1].starts_with('-') && is_command(words[1]))
    answer = complete_command(words, sources);
  const std::string& begin = words.back() == "=" ? std::string() : words.back();
  std::erase_if(answer.candidates,
                [&](const Candidate& candidate) { return !candidate.word.starts_with(begin); });
  return answer;
}

}  // namespace gondwana::completion
