#include "litmus/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "litmus/operations.hpp"

namespace gondwana::litmus {
namespace {

constexpr int max_ranks = 4;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool is_number(const std::string& text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  return text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos;
}
bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  }) && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}
// r0, r1, ...
bool is_register(const std::string& text) {
  return text.starts_with('r') && is_number(text.substr(1));
}

class Parser {
 public:
  explicit Parser(const std::string& name) {
    test_.name = name;
    test_.door = "shmem";
  }

  Result<LitmusTest> parse(const std::string& text) {
    std::istringstream stream(text);
    for (std::string line; error_.empty() && std::getline(stream, line);) {
      ++line_;
      read_line(line.substr(0, line.find('#')));
    }
    if (error_.empty()) finish();
    if (!error_.empty())
      return Error{Errc::malformed, fmt::format("{}.litmus:{}: {}", test_.name, line_, error_)};
    return std::move(test_);
  }

 private:
  void fail(const std::string& what) {
    if (error_.empty()) error_ = what;
  }

  void read_line(const std::string& line) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) return;
    const std::size_t colon = words[0].find(':');
    if (words[0] == "rank") {
      if (words.size() != 2 || words[1] != std::to_string(test_.programs.size()))
        return fail(fmt::format("expected \"rank {}\"", test_.programs.size()));
      test_.programs.emplace_back();
    } else if (colon != std::string::npos && words[0].size() == colon + 1) {
      read_header(words[0].substr(0, colon), line.substr(line.find(':') + 1));
    } else if (test_.programs.empty()) {
      fail("an operation before \"rank 0\"");
    } else {
      read_operation(words);
    }
  }

  void read_header(const std::string& key, const std::string& rest) {
    const std::vector<std::string> words = words_of(rest);
    const std::string text = fmt::format("{}", fmt::join(words, " "));
    const std::map<std::string, std::string*> texts{{"promise", &test_.promise},
                                                    {"clause", &test_.clause},
                                                    {"relation", &test_.relation},
                                                    {"door", &test_.door}};
    if (const auto found = texts.find(key); found != texts.end()) {
      std::string& value = *found->second;
      value += value.empty() || key == "door" ? "" : " ";
      value = key == "door" ? text : value + text;
    } else if (key == "initial") {
      for (const std::string& word : words) read_initial(word);
    } else if (key == "forbidden" || key == "allowed") {
      conditions_.push_back({line_, key == "forbidden", words});
    } else {
      fail(fmt::format("unknown header {}", key));
    }
  }

  void read_initial(const std::string& word) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || !is_number(word.substr(sign + 1)))
      return fail(fmt::format("{}: expected PLACE=NUMBER", word));
    test_.initial.push_back({read_place(word.substr(0, sign)), std::stol(word.substr(sign + 1))});
  }

  // [REGISTER =|LOCATION =] NAME[.CONTEXT] ARGUMENTS
  void read_operation(std::vector<std::string> words) {
    Operation operation;
    std::string target;
    if (words.size() > 2 && words[1] == "=") {
      target = words[0];
      words.erase(words.begin(), words.begin() + 2);
    }
    const std::size_t dot = words[0].find('.');
    const Form* const form = find_form(words[0].substr(0, dot));
    if (form == nullptr) return fail(fmt::format("unknown operation {}", words[0]));
    if (dot != std::string::npos) {
      if (dot + 2 != words[0].size()) return fail("the name of a context is one letter");
      operation.context = words[0][dot + 1];
    }
    operation.act = form->act;
    if (words.size() != form->arguments.size() + 1)
      return fail(fmt::format("{} has {} arguments", form->name, form->arguments.size()));
    for (std::size_t i = 0; i < form->arguments.size(); ++i)
      read_argument(operation, *form, form->arguments[i], words[i + 1]);
    if (target.empty() == (form->gives == Gives::value))
      return fail(
          fmt::format("{} {}", form->name, target.empty() ? "gives a value" : "gives no value"));
    if (!target.empty()) read_target(operation, target);
    test_.programs.back().push_back(operation);
  }

  void read_target(Operation& operation, const std::string& target) {
    if (!is_register(target)) {
      operation.result = location(target);
      return;
    }
    if (find_register(target) != nothing) return fail(fmt::format("{} has two values", target));
    test_.registers.push_back({target, rank()});
    operation.reg = static_cast<int>(test_.registers.size()) - 1;
  }

  void read_argument(Operation& operation, const Form& form, char kind, const std::string& word) {
    switch (kind) {
      case 'p':
      case 'o':
        operation.place = read_place(word);
        if (kind == 'o' && operation.place.rank != nobody && operation.place.rank != rank())
          fail(fmt::format("{} takes the own copy", form.name));
        note_use(operation.place, form.takes_arrays);
        break;
      case 's':
        operation.signal = read_place(word);
        note_use(operation.signal, false);
        break;
      case 'v':
        operation.value = read_value(word);
        if (operation.value.location != nothing && !form.takes_arrays)
          fail(fmt::format("{} takes a number or a register", form.name));
        break;
      case 'w':
        operation.other = read_value(word);
        break;
      default:
        if (!is_number(word)) return fail(fmt::format("{} is not a number", word));
        if (kind == 'r')
          operation.peer = std::stoi(word);
        else
          operation.signal_value = std::stol(word);
    }
  }

  Value read_value(const std::string& word) {
    Value value;
    if (is_number(word))
      value.number = std::stol(word);
    else if (!is_register(word))
      value.location = location(word);
    else if (value.reg = find_register(word);
             value.reg == nothing || test_.registers[at(value.reg)].rank != rank())
      fail(fmt::format("this rank has not set {}", word));
    return value;
  }

  // NAME[WORD]@RANK; the rank is that of the program if it is missing.
  Place read_place(const std::string& word) {
    Place place;
    const std::size_t at_sign = word.find('@');
    std::string name = word.substr(0, at_sign);
    if (at_sign != std::string::npos) {
      const std::string number = word.substr(at_sign + 1);
      if (!is_number(number)) fail(fmt::format("{}: expected NAME@RANK", word));
      place.rank = is_number(number) ? std::stoi(number) : 0;
    }
    if (const std::size_t bracket = name.find('['); bracket != std::string::npos) {
      const std::string number = name.substr(bracket + 1, name.size() - bracket - 2);
      if (!is_number(number) || !name.ends_with(']'))
        fail(fmt::format("{}: expected NAME[NUMBER]", word));
      else
        place.word = std::stoi(number);
      name = name.substr(0, bracket);
    }
    place.location = location(name);
    return place;
  }

  int location(const std::string& name) {
    if (!is_name(name) || is_register(name)) fail(fmt::format("{} cannot be a location", name));
    const auto found = std::ranges::find(test_.locations, name, &Location::name);
    if (found != test_.locations.end()) return static_cast<int>(found - test_.locations.begin());
    test_.locations.push_back({.name = name});
    return static_cast<int>(test_.locations.size()) - 1;
  }

  // Locations with words that operations access alone are no arrays.
  void note_use(const Place& place, bool whole) {
    if (place.location == nothing) return;
    Location& used = test_.locations[at(place.location)];
    if (!whole || place.word != nothing) used.is_array = false;
    used.words = std::max(used.words, at(place.word + 1));
  }

  int find_register(const std::string& name) const {
    const auto found = std::ranges::find(test_.registers, name, &Register::name);
    return found == test_.registers.end() ? nothing
                                          : static_cast<int>(found - test_.registers.begin());
  }

  void read_condition(bool is_forbidden, const std::vector<std::string>& words) {
    Condition condition{is_forbidden, fmt::format("{}", fmt::join(words, " ")), {}};
    for (const std::string& word : words) {
      const std::size_t sign = word.find('=');
      if (sign == std::string::npos || sign == 0) return fail(fmt::format("{} is no term", word));
      const bool equal = word[sign - 1] != '!';
      const std::string value = word.substr(sign + 1);
      if (value != "mixed" && !is_number(value))
        return fail(fmt::format("{} is not a number", value));
      condition.terms.push_back({observed(word.substr(0, equal ? sign : sign - 1)), equal,
                                 value == "mixed" ? mixed : std::stol(value)});
    }
    test_.conditions.push_back(std::move(condition));
  }

  std::size_t observed(const std::string& name) {
    Observed seen;
    if (!is_register(name))
      seen.place = read_place(name);
    else if (seen.reg = find_register(name); seen.reg == nothing)
      fail(fmt::format("no rank sets {}", name));
    if (seen.reg == nothing && seen.place.rank == nobody)
      fail(fmt::format("{}: expected NAME@RANK", name));
    for (std::size_t i = 0; i < test_.observed.size(); ++i) {
      const Observed& known = test_.observed[i];
      if (known.reg == seen.reg && known.place.location == seen.place.location &&
          known.place.word == seen.place.word && known.place.rank == seen.place.rank)
        return i;
    }
    test_.observed.push_back(seen);
    return test_.observed.size() - 1;
  }

  void check_rank(const Place& place) {
    if (place.rank >= test_.ranks())
      fail(fmt::format("{} is at rank {}, and the test has {} ranks",
                       test_.locations[at(place.location)].name, place.rank, test_.ranks()));
  }

  void finish() {
    if (test_.ranks() < 1 || test_.ranks() > max_ranks)
      return fail(fmt::format("expected one to {} ranks", max_ranks));
    if (test_.promise.empty() || test_.clause.empty())
      return fail("expected a promise and a clause");
    for (std::size_t i = 0; i < test_.registers.size(); ++i)
      test_.observed.push_back({.reg = static_cast<int>(i), .place = {}});
    for (const auto& [line, is_forbidden, words] : conditions_) {
      line_ = line;
      read_condition(is_forbidden, words);
    }
    if (test_.conditions.empty()) return fail("expected an outcome that is forbidden or allowed");
    for (const auto& program : test_.programs)
      for (const Operation& operation : program)
        for (const Place& place : {operation.place, operation.signal}) check_rank(place);
    for (const Initial& initial : test_.initial) check_rank(initial.place);
    for (const Observed& seen : test_.observed) check_rank(seen.place);
  }

  int rank() const { return static_cast<int>(test_.programs.size()) - 1; }
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  struct Line {
    int number;
    bool is_forbidden;
    std::vector<std::string> words;
  };

  LitmusTest test_;
  std::vector<Line> conditions_;
  int line_ = 0;
  std::string error_;
};

}  // namespace

Result<LitmusTest> parse(const std::string& name, const std::string& text) {
  return Parser(name).parse(text);
}

Result<std::vector<LitmusTest>> read_tests(const std::string& folder, const std::string& door,
                                           const std::string& name) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  if (error) return Error{Errc::missing, fmt::format("{}: {}", folder, error.message())};
  std::ranges::sort(files);
  std::vector<LitmusTest> tests;
  for (const auto& file : files) {
    const std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    Result<LitmusTest> test = parse(file.stem(), text.str());
    if (!test) return test.error();
    if ((door.empty() || test->door == door) && (name.empty() || test->name == name))
      tests.push_back(*std::move(test));
  }
  return tests;
}

}  // namespace gondwana::litmus
