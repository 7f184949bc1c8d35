// Many instances of a test, which run between two barriers: which ranks of the job run it, and
// where the locations lie.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "litmus/test.hpp"
#include "simulation/random.hpp"

namespace gondwana::litmus {

using simulation::Random;

struct BatchLimits {
  std::size_t pool_words;  // at each rank, for the locations of all instances
  std::size_t instances;
  int ranks;  // of the job
  // Whether loads and stores of the first rank reach the second.
  std::function<bool(int, int)> reaches;
};

class Batch {
 public:
  // Nothing: no choice of ranks is in reach of the loads and stores of the test.
  static std::optional<Batch> draw(const LitmusTest& test, const BatchLimits& limits,
                                   Random& random);

  std::size_t instances() const { return instances_; }
  int pe_of(int rank) const { return pes_[static_cast<std::size_t>(rank)]; }
  // The rank of the test that this rank of the job runs, or `nobody`.
  int role_of(int pe) const;
  std::size_t words(int location) const { return at(location).words; }
  // In words, from the begin of the pool.
  std::size_t offset(int location, std::size_t instance) const {
    return at(location).first + instance * at(location).stride;
  }
  std::size_t used_words() const { return used_words_; }
  unsigned max_pause() const { return max_pause_; }
  std::string description() const;

 private:
  struct Layout {
    std::size_t words = 1;
    std::size_t first = 0;
    std::size_t stride = 0;
  };
  // Locations of an instance in lines of their own; side by side; or beside those of the next one.
  enum class Style : std::uint8_t { apart, together, rows };

  const Layout& at(int location) const { return layouts_[static_cast<std::size_t>(location)]; }
  void draw_lengths(const LitmusTest& test, Random& random);
  void place(Style style, std::size_t shift);
  bool choose_ranks(const LitmusTest& test, const BatchLimits& limits, Random& random);

  std::vector<int> pes_;
  std::vector<Layout> layouts_;
  std::size_t instances_ = 1;
  std::size_t used_words_ = 0;
  unsigned max_pause_ = 0;
  Style style_ = Style::apart;
};

}  // namespace gondwana::litmus
