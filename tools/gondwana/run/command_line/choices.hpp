// The options before one program, and what they mean for the job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// As they were written.
struct Choices {
  std::string ranks;
  std::vector<std::string> variables;
  std::string folder;
  bool label = false;
  bool timestamps = false;
  std::string timeout;
  std::string output_folder;
  std::string reader;
  std::string binding;
  bool report_bindings = false;
  std::string profile;  // "true": a table; else the name of a page
  std::string trace;    // a file
  std::string trace_last;
  std::string heap;
  std::string gdb_ranks;
  std::string gdb_arguments;
  bool verbose = false;
  bool show = false;
  bool ignored = false;
  std::string hosts;
  std::string host_file;
  std::string per_host;
  std::string mapping;
  bool help = false;
  bool version = false;
};

// What is wrong with the words of the user.
inline Error wrong(std::string text) {
  return {Errc::invalid_argument, std::move(text) + "; see `gondwana run --help`"};
}

// What the options say of the whole job, and of their own program.
Result<void> set_job(const Choices& choices, Job& job);
Result<void> set_program(const Choices& choices, Program& program);

}  // namespace gondwana::launch
