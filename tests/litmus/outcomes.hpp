// The outcomes of a test: how often each was seen, and which are forbidden.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "litmus/test.hpp"

namespace gondwana::litmus {

// A value for each `LitmusTest::observed`.
using Outcome = std::vector<long>;

std::string to_string(const LitmusTest& test, const Outcome& outcome);
// The condition that the outcome meets; a forbidden one comes first.
const Condition* condition_of(const LitmusTest& test, const Outcome& outcome);
// The value of all words, or `mixed`.
long value_of(const long* words, std::size_t count);

class Outcomes {
 public:
  explicit Outcomes(const LitmusTest& test) : test_(test) {}

  // Returns the condition if it is forbidden.
  const Condition* add(const Outcome& outcome);
  std::uint64_t total() const { return total_; }
  std::uint64_t forbidden() const { return forbidden_; }
  // A line for the test and one for each outcome, the most frequent first.
  std::string table() const;

 private:
  const LitmusTest& test_;
  std::map<Outcome, std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  std::uint64_t forbidden_ = 0;
};

}  // namespace gondwana::litmus
