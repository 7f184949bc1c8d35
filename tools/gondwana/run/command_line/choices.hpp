// The options before one program, and their effect on the job.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// The values as written.
struct Choices {
  struct Streams {
    bool label = false;
    bool timestamps = false;
    std::string folder;
    std::string reader;
  };
  struct Binding {
    std::string to;
    bool is_reported = false;
  };
  struct Trace {
    std::string file;
    std::string last;
  };
  struct Hosts {
    std::string list;
    std::string file;
    std::string ranks_each;
    std::string mapping;
  };
  struct Flags {
    bool verbose = false;
    bool keeps_memory = false;
    bool show = false;
    bool ignored = false;
    bool help = false;
    bool version = false;
  };

  std::string ranks;
  std::string max_ranks;
  std::vector<std::string> variables;
  std::string folder;
  std::string heap;
  std::string timeout;
  std::string on_death;
  std::string restart;
  Streams streams;
  Binding binding;
  std::string profile;  // "true": a table; otherwise the name of a page
  Trace trace;
  GdbWish gdb;
  Hosts hosts;
  Flags flags;
};

// An error in the user's command line.
inline Error wrong(std::string_view text) {
  return {Errc::invalid_argument, fmt::format("{}; see `gondwana run --help`", text)};
}

// Applies the options that concern the whole job, and those of their own program.
Result<void> set_job(const Choices& choices, Job& job);
Result<void> set_program(const Choices& choices, Program& program);

}  // namespace gondwana::launch
