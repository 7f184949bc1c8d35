// Parses command lines that name jobs on several hosts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "observe/hosts/job_view.hpp"

namespace gondwana::commands {

// Reads the words of a command line one after the other.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(&words) {}

  bool is_at_end() const { return taken_ == words_->size(); }
  // Empty if there are no more words.
  std::string_view upcoming() const {
    return is_at_end() ? "" : std::string_view((*words_)[taken_]);
  }
  std::string next() { return is_at_end() ? "" : (*words_)[taken_++]; }

 private:
  const std::vector<std::string>* words_;
  std::size_t taken_ = 0;
};

// The options that all these commands accept.
struct Request {
  bool help = false;
  bool json = false;
  hosts::Choice choice;  // which jobs, before a job is named
};

// `take` receives each other word, and may take words that follow it.
Result<Request> parse_request(const std::vector<std::string>& words,
                              FunctionRef<Result<void>(const std::string& word, Words& rest)> take);

}  // namespace gondwana::commands
