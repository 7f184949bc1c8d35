// Numbers by a seed, the same on every machine. Each part of a simulated job has a stream of its
// own, so a part that is left out does not change what the others draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gondwana::simulation {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream)) {}

  std::uint64_t next() { return mix(state_ += golden); }
  // 0 to limit - 1
  std::uint64_t below(std::uint64_t limit) { return limit <= 1 ? 0 : next() % limit; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  // Often little, now and then up to `most`.
  std::uint64_t skewed(std::uint64_t most) { return below(1 + below(1 + below(most + 1))); }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <typename T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace gondwana::simulation
