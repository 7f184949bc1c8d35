// Runs a fuzz target without libFuzzer: first the seed corpus, then pseudo-random inputs, most of
// them mutated seeds. The same --seed gives the same inputs.
//
//   fuzz_X [--seed N] [--runs N] CORPUS_FOLDER...
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"

namespace gondwana::fuzz {
namespace {

using Input = std::vector<std::uint8_t>;

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t runs = 20'000;
  std::vector<std::string> folders;
};

// The input being tried, for a target that does not return.
const Input*& current_input() {
  static const Input* input = nullptr;
  return input;
}

// Signal handler: write() only.
void tell_input(int signal) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto put = [](std::string_view text) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  };
  put("fuzz: the target died of this input (hexadecimal): ");
  const Input* input = current_input();
  for (std::size_t i = 0; input != nullptr && i < input->size(); ++i) {
    const std::uint8_t byte = (*input)[i];
    put(digits.substr(byte >> 4, 1));
    put(digits.substr(byte & 15, 1));
  }
  put("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void try_input(const Input& input) {
  current_input() = &input;
  LLVMFuzzerTestOneInput(input.data(), input.size());
  current_input() = nullptr;
}

// Sorted, so that the same seed changes the same files everywhere.
std::vector<Input> read_corpus(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Input> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Generator {
 public:
  Generator(std::uint64_t seed, const std::vector<Input>& corpus)
      : random_(seed), corpus_(corpus) {}

  Input next() {
    if (corpus_.empty() || below(4) == 0) return noise();
    Input input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
  std::ptrdiff_t position(const Input& input) {
    return static_cast<std::ptrdiff_t>(below(input.size() + 1));
  }

  Input noise() {
    Input input(below(256));
    std::ranges::generate(input, [&] { return byte(); });
    return input;
  }

  void change(Input& input) {
    const std::ptrdiff_t at = position(input);
    const bool inside = at < std::ssize(input);
    switch (below(5)) {
      case 0:
        input.insert(input.begin() + at, byte());
        break;
      case 1:
        if (inside) input.erase(input.begin() + at);
        break;
      case 2:
        if (inside)
          input[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 3:
        if (inside) input[static_cast<std::size_t>(at)] = byte();
        break;
      default: {
        const Input& other = corpus_[below(corpus_.size())];
        input.resize(static_cast<std::size_t>(at));
        input.insert(input.end(), other.begin() + position(other), other.end());
      }
    }
  }

  std::mt19937_64 random_;
  const std::vector<Input>& corpus_;
};

bool parse(std::string_view text, std::uint64_t& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && end == text.data() + text.size();
}

bool parse(std::span<char*> texts, Arguments& arguments) {
  while (!texts.empty()) {
    const std::string_view text = texts.front();
    texts = texts.subspan(1);
    if (text != "--seed" && text != "--runs") {
      arguments.folders.emplace_back(text);
      continue;
    }
    std::uint64_t& number = text == "--seed" ? arguments.seed : arguments.runs;
    if (texts.empty() || !parse(texts.front(), number)) return false;
    texts = texts.subspan(1);
  }
  return true;
}

int run(std::span<char*> texts) {
  Arguments arguments;
  if (!parse(texts.subspan(1), arguments)) {
    fmt::print(stderr, "usage: {} [--seed N] [--runs N] CORPUS_FOLDER...\n", texts[0]);
    return 2;
  }
  std::signal(SIGABRT, tell_input);
  std::signal(SIGSEGV, tell_input);
  const std::vector<Input> corpus = read_corpus(arguments.folders);
  fmt::print("{} inputs of the corpus, then {} runs with --seed {}\n", corpus.size(),
             arguments.runs, arguments.seed);
  std::ranges::for_each(corpus, try_input);
  Generator generator(arguments.seed, corpus);
  for (std::uint64_t i = 0; i < arguments.runs; ++i) try_input(generator.next());
  return 0;
}

}  // namespace
}  // namespace gondwana::fuzz

int main(int count, char** texts) {
  return gondwana::fuzz::run({texts, static_cast<std::size_t>(count)});
}
