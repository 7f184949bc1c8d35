// Options of commands that examine jobs.
#pragma once

#include <chrono>
#include <string>

#include "base/command_line.hpp"
#include "observe/hosts/job_view.hpp"

namespace gondwana::commands {

struct Request {
  bool json = false;
  hosts::Choice choice;
};

// Adds --hosts.
void add_hosts(CommandLine& line, Request& request, const std::string& text);
// Adds JOB, and --all with `text`.
void add_job(CommandLine& line, Request& request, const std::string& text);
// Adds JOB, --hosts, --here and --all.
void add_one_job(CommandLine& line, Request& request);
// Adds --json.
void add_json(CommandLine& line, Request& request);
// Adds an option that takes seconds, from 0.05 to 3600.
void add_seconds(CommandLine& line, const std::string& name, std::chrono::milliseconds& time,
                 const std::string& text);

}  // namespace gondwana::commands
