#include "bench/bench.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bench/output_of.hpp"
#include "bench/report.hpp"
#include "bench/samples.hpp"
#include "bench/subject.hpp"

namespace gondwana::bench {
namespace {

int complain(const Error& error) {
  fmt::print(stderr, "gondwana bench: {}\n", error.text);
  return 2;
}

// Beside this command in a build folder, else where it is installed.
Result<std::string> find_program(const std::filesystem::path& command) {
  for (const char* folder : {"bench", GONDWANA_MODULES "/bench"}) {
    std::error_code failure;
    std::filesystem::path file = command.parent_path() / folder / "transfers";
    if (std::filesystem::exists(file, failure)) return file.string();
  }
  return Error{
      Errc::missing,
      fmt::format(
          "its measuring programs are not installed: neither {0}/bench nor {0}/{1}/bench has "
          "transfers",
          command.parent_path().string(), GONDWANA_MODULES)};
}

Result<std::vector<Series>> measure(const Choices& choices) {
  std::error_code failure;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", failure);
  const Result<std::string> program = find_program(command);
  if (!program) return program.error();
  std::vector<std::string> words{command.string(), "run"};
  if (choices.hosts.empty())
    words.insert(words.end(), {"-n", fmt::to_string(choices.ranks)});
  else
    words.insert(words.end(), {"--hosts", choices.hosts});
  words.insert(words.end(),
               {*program, std::string(choices.subject.group), fmt::to_string(choices.rounds),
                fmt::to_string(choices.smallest), fmt::to_string(choices.largest)});
  const Result<std::string> output = output_of(words);
  if (!output) return output.error();
  return read_samples(*output);
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  const Result<Choices> choices = parse(words);
  if (!choices) return complain(choices.error());
  if (choices->help) {
    fmt::print("{}", help_text());
    return 0;
  }
  const Result<std::vector<Series>> series = measure(*choices);
  if (!series) return complain(series.error());
  fmt::print("{}", report(*choices, *series));
  return 0;
}

}  // namespace gondwana::bench
