// The commands, as `gondwana --help` and completion list them.
#pragma once

#include <array>
#include <string_view>

namespace gondwana::commands {

struct ListedCommand {
  std::string_view name;
  std::string_view usage;
  std::string_view text;
};

// A command may have several lines; the most important one comes first.
inline constexpr std::array<ListedCommand, 11> list{{
    {"run", "run -n 4 ./program", "start a program as 4 ranks (also: oshrun -n 4 ./program)"},
    {"run", "run --help", "its options"},
    {"ps", "ps", "your jobs on this machine"},
    {"grow", "grow -n 2 JOB", "add ranks to a running job"},
    {"shrink", "shrink JOB RANKS", "end ranks of a running job, which goes on without them"},
    {"why", "why [JOB]", "which ranks of a job keep the others waiting, and where"},
    {"top", "top [JOB]", "the activity of the ranks of a job, live"},
    {"trace", "trace [JOB]", "their last operations, with times, as a file for Perfetto"},
    {"bench", "bench SUBJECT", "latency, bandwidth, collectives and more, with controls"},
    {"info", "info", "this machine, the environment variables, problems"},
    {"--version", "--version", ""},
}};

}  // namespace gondwana::commands
