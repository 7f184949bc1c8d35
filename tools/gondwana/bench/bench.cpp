#include "bench/bench.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "bench/comparison.hpp"
#include "bench/output_of.hpp"
#include "bench/peer.hpp"
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
Result<std::string> find_file(const std::filesystem::path& command, std::string_view name,
                              const char* installed) {
  for (const char* folder : {"bench", installed}) {
    std::error_code failure;
    const std::filesystem::path file = command.parent_path() / folder / name;
    if (std::filesystem::exists(file, failure)) return file.string();
  }
  return Error{Errc::missing,
               fmt::format("its programs are not installed: neither {0}/bench nor {0}/{1} has {2}",
                           command.parent_path().string(), installed, name)};
}

Result<std::vector<Series>> run(std::vector<std::string> job, const Choices& choices,
                                std::uint32_t rounds) {
  job.insert(job.end(), {std::string(choices.subject.group), fmt::to_string(rounds),
                         fmt::to_string(choices.smallest), fmt::to_string(choices.largest)});
  const Result<std::string> output = output_of(job);
  if (!output) return output.error();
  return read_samples(*output);
}

std::vector<std::string> own_job(const std::string& command, const std::string& program,
                                 const Choices& choices) {
  if (choices.hosts.empty()) return {command, "run", "-n", fmt::to_string(choices.ranks), program};
  return {command, "run", "--hosts", choices.hosts, program};
}

// Ours and the peer by turns, some rounds at a time: so both see the same machine.
Result<std::vector<Series>> run_by_turns(const std::vector<std::string>& own,
                                         const std::vector<std::string>& peer,
                                         const Choices& choices) {
  constexpr std::uint32_t turns = 3;
  std::vector<Series> series;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint32_t rounds = (choices.rounds + turn) / turns;
    const Result<std::vector<Series>> ours = run(own, choices, rounds);
    if (!ours) return ours.error();
    const Result<std::vector<Series>> theirs = run(peer, choices, rounds);
    if (!theirs) return theirs.error();
    append(series, *ours);
    append_peer(series, *theirs);
  }
  return series;
}

Result<std::vector<Series>> measure(const Choices& choices) {
  std::error_code failure;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", failure);
  const Result<std::string> program =
      find_file(command, choices.subject.program, GONDWANA_MODULES "/bench");
  if (!program) return program.error();
  const std::vector<std::string> own = own_job(command.string(), *program, choices);
  if (choices.peer.compiler.empty()) return run(own, choices, choices.rounds);
  const Result<std::string> sources = find_file(command, "source", GONDWANA_DATA "/bench");
  if (!sources) return sources.error();
  const Result<PeerProgram> peer =
      PeerProgram::build(choices.peer, *sources, choices.subject.program);
  if (!peer) return peer.error();
  return run_by_turns(own, peer->job(choices.ranks), choices);
}

// The data stay beside the page, under a name that no other file of a user has by chance.
Result<void> write_page(const std::string& data, const std::string& page) {
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe");
  const Result<std::string> script = find_file(command, "bench_page", GONDWANA_MODULES "/bench");
  if (!script) return script.error();
  const std::string file = std::filesystem::path(page).replace_extension(".bench.json").string();
  if (!(std::ofstream(file) << '[' << data << "]\n").flush())
    return Error{Errc::refused, fmt::format("--report: {} cannot be written", file)};
  // -B: nothing is written into the folder of the script.
  const Result<std::string> made = output_of({"python3", "-B", *script, file, page});
  if (made) return {};
  return Error{made.error().code, fmt::format("--report: no page was made; the data are in {}; {}",
                                              file, made.error().text)};
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "compare")
    return compare_command({words.begin() + 1, words.end()});
  const Result<Choices> choices = parse(words);
  if (!choices) return complain(choices.error());
  if (choices->help) {
    fmt::print("{}", help_text());
    return 0;
  }
  const Result<std::vector<Series>> series = measure(*choices);
  if (!series) return complain(series.error());
  const std::string text = report(*choices, *series);
  if (choices->page.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  const Result<void> written = write_page(text, choices->page);
  return written ? 0 : complain(written.error());
}

}  // namespace gondwana::bench
