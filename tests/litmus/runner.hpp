// Runs tests through a door. Each rank of the job calls it with the same arguments.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "litmus/batch.hpp"
#include "litmus/door.hpp"
#include "litmus/outcomes.hpp"

namespace gondwana::litmus {

struct RunnerOptions {
  std::uint64_t seed = 1;
  std::uint64_t iterations = 0;  // of each test at least; 0: one batch
  double seconds = 0;            // for all tests; a test runs on until its share is over
  std::size_t instances = 0;     // between two barriers at most; 0: depends on the job
  std::size_t pool_words = std::size_t{1} << 17;
  std::function<void(const std::string&)> print;  // called by rank 0
};

class Runner {
 public:
  Runner(Door& door, const RunnerOptions& options);

  // Returns false at rank 0 if an outcome was forbidden.
  bool run(const std::vector<LitmusTest>& tests);

 private:
  using Clock = std::chrono::steady_clock;

  void share_reach();
  bool run_test(const LitmusTest& test, Clock::time_point end);
  void prepare(const LitmusTest& test, const Batch& batch);
  void run_instances(const LitmusTest& test, const Batch& batch);
  void perform(const Batch& batch, const Operation& operation, int role, std::size_t instance);
  void perform_here(const Call& call);
  Call call_of(const Batch& batch, const Operation& operation, int role, std::size_t instance);
  long* own(const Batch& batch, int location, std::size_t instance) const;
  const long* source_of(const Batch& batch, const Operation& operation, std::size_t words,
                        std::size_t instance);
  long number(const Value& value, std::size_t instance) const;
  void publish(const LitmusTest& test, const Batch& batch);
  void decide(bool goes_on);
  void count(const LitmusTest& test, const Batch& batch, std::uint64_t number_of_batch,
             Outcomes& outcomes);
  void put_word(long* word, const long* from, std::size_t words, int pe);
  void print(const std::string& text) const;

  // Private memory that results go to or puts come from, the same until the batch ends.
  long* scratch(std::size_t words);
  long* filled(std::size_t words, long value);

  Door& door_;
  RunnerOptions options_;
  Random pauses_;
  long* pool_;     // the locations of a batch
  long* results_;  // at rank 0: for each observed value, those of all instances
  long* goes_on_;  // whether another batch follows
  long* reach_;    // for each pair of ranks
  std::vector<std::unique_ptr<long[]>> scratch_;
  std::size_t scratch_chunk_ = 0;
  std::size_t scratch_used_ = 0;
  // Where a register of an instance is, and its words.
  struct Result {
    long* words;
    std::size_t count;
  };
  std::vector<std::vector<Result>> registers_;  // by register, then instance
};

}  // namespace gondwana::litmus
