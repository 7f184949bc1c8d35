// What is to be run, as the user asked for it: values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gondwana::launch {

// One of the programs of a job: `ranks` copies of it, numbered on from the program before.
struct Program {
  std::uint32_t ranks = 0;
  std::vector<std::string> words;        // its name and its arguments
  std::string path;                      // the file that the name means
  std::vector<std::string> environment;  // VAR=value, on top of what the launcher has
  std::string folder;                    // where it runs; empty: where the launcher runs
};

enum class Binding { none, core, numa, package };
enum class Purpose { run, show, help };

struct Job {
  Purpose purpose = Purpose::run;
  std::vector<Program> programs;
  bool label = false;       // "[3] " before each line
  bool timestamps = false;  // the time before each line
  std::optional<std::chrono::milliseconds> timeout;
  std::string output_folder;               // rank.N.out and rank.N.err go there; empty: to ours
  std::optional<std::uint32_t> reader{0};  // the rank that gets our standard input
  Binding binding = Binding::none;
  bool report_bindings = false;
  bool verbose = false;

  std::uint32_t ranks() const {
    std::uint32_t sum = 0;
    for (const Program& program : programs) sum += program.ranks;
    return sum;
  }
};

}  // namespace gondwana::launch
