// Command lines that ask for jobs on several hosts.
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

// The words of a command line, in their order.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(&words) {}

  bool is_at_end() const { return taken_ == words_->size(); }
  // Empty at the end.
  std::string_view upcoming() const {
    return is_at_end() ? "" : std::string_view((*words_)[taken_]);
  }
  std::string next() { return is_at_end() ? "" : (*words_)[taken_++]; }

 private:
  const std::vector<std::string>* words_;
  std::size_t taken_ = 0;
};

// What all these commands take.
struct Request {
  bool help = false;
  bool json = false;
  hosts::Choice choice;  // without a job
};

// `take` gets each word that is none of those, and may take those that follow.
Result<Request> parse_request(const std::vector<std::string>& words,
                              FunctionRef<Result<void>(const std::string& word, Words& rest)> take);

}  // namespace gondwana::commands
