// A scenario: a few threads over words and plain data, run in every interleaving and with every
// value that the memory model allows a load to return. The search visits each distinct state once.
#pragma once

#include <memory>

#include "support/model/atomics.hpp"
#include "sync/doorbell.hpp"

namespace gondwana::model {

struct Limits {
  static constexpr std::uint8_t unlimited = 255;

  bool heavy_fence_refused = false;  // heavy_fence() does nothing and says so
  bool thread_fences = false;        // there are release and acquire fences: more states
  std::uint8_t early_wakes = 0;      // per thread: futex_waits that end for no reason
  // Limits of one execution, for scenarios too large to explore fully: switches away from a thread
  // that could continue; loads and stores behind the newest store.
  std::uint8_t preemptions = unlimited;
  std::uint8_t behind = unlimited;
  std::size_t states = 3'000'000;  // more is a failure: the scenario was not explored
  std::size_t steps = 2'000;       // of one execution; more is a failure: it does not end
};

struct Outcome {
  std::string failure;  // empty: nothing can go wrong
  std::string story;    // the steps that lead to the failure
  std::size_t states = 0;

  bool holds() const { return failure.empty(); }
};

class Scenario {
 public:
  // The checker calls the body many times; see program.hpp.
  void thread(std::string name, Phase body) { phases(std::move(name), {std::move(body)}); }
  void phases(std::string name, std::vector<Phase> bodies) {
    program_.add_thread(std::move(name), std::move(bodies));
  }
  // Runs after all threads have finished and sees all their effects.
  void finally(Phase body) { finally_ = std::move(body); }

  void name(const Word& word, std::string name) { program_.name(&word, std::move(name)); }
  void name(const Data& data, std::string name) { program_.name(&data, std::move(name)); }
  void name(const Doorbell<Atomics>& bell, const std::string& owner);

  // Once per scenario.
  Outcome explore(const Limits& limits = {});

 private:
  Program program_;
  Phase finally_;
};

}  // namespace gondwana::model
