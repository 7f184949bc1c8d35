// Random strided transfers, and the loop that defines the result of each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <random>
#include <span>
#include <vector>

#include "operations/strided/transfer.hpp"

namespace gondwana::strided::test {

// --gtest_random_seed=N repeats a run.
inline std::uint64_t seed() {
  const auto given = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed));
  return given == 0 ? 1 : given;
}

class Random {
 public:
  explicit Random(std::uint64_t round) : engine_(seed() * 1'000'003 + round) {}

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_);
  }
  bool once_in(std::size_t times) { return below(times) == 0; }
  void fill(std::span<std::byte> bytes) {
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
      const std::uint64_t word = engine_();
      std::memcpy(bytes.data(), &word, sizeof(word));
    }
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine_());
  }
  template <typename Sequence>
  void shuffle(Sequence& sequence) {
    std::shuffle(sequence.begin(), sequence.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

struct Case {
  std::size_t element = 0;
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> target_strides;
  std::vector<std::ptrdiff_t> source_strides;

  Description description() const { return {element, extents, target_strides, source_strides}; }
};

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  out << "seed " << seed() << ", elements of " << c.element << " bytes";
  for (std::size_t i = 0; i < c.extents.size(); ++i)
    out << ", " << c.extents[i] << " x (" << c.target_strides[i] << ", " << c.source_strides[i]
        << ")";
  return out;
}

// Strides without overlap: dimensions nest in a random order, with or without gaps, some of them
// backwards.
inline std::vector<std::ptrdiff_t> nested_strides(Random& random, std::size_t element,
                                                  const std::vector<std::size_t>& extents,
                                                  bool in_order) {
  std::vector<std::size_t> order(extents.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!in_order) random.shuffle(order);
  std::vector<std::ptrdiff_t> strides(extents.size());
  std::size_t span = element;
  for (const std::size_t i : order) {
    if (random.once_in(3)) span += element * random.below(4);
    if (random.once_in(8)) span += random.below(7);
    const auto stride = static_cast<std::ptrdiff_t>(span);
    strides[i] = random.once_in(4) ? -stride : stride;
    if (extents[i] != 0) span *= extents[i];
  }
  return strides;
}

inline Case random_case(Random& random) {
  static constexpr std::size_t elements[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 64, 80};
  Case c;
  c.element = elements[random.below(std::size(elements))];
  const std::size_t dimensions = random.below(9);
  std::size_t left = std::size_t{1} << (4 + random.below(9));  // elements, about
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t extent = 1 + random.below(std::min<std::size_t>(left, 40));
    left = std::max<std::size_t>(1, left / extent);
    c.extents.push_back(extent);
  }
  random.shuffle(c.extents);
  if (dimensions > 0 && random.once_in(40)) c.extents[0] = 0;
  const bool in_order = random.once_in(2);
  c.target_strides = nested_strides(random, c.element, c.extents, in_order);
  c.source_strides = nested_strides(random, c.element, c.extents, in_order);
  if (dimensions > 0 && random.once_in(10)) c.source_strides[random.below(dimensions)] = 0;
  return c;
}

// Memory around the bytes that one end touches, with margins to detect stray stores.
class Arena {
 public:
  static constexpr std::size_t margin = 128;

  Arena(Bounds bounds, std::size_t misalignment)
      : bytes_(static_cast<std::size_t>(bounds.end - bounds.begin) + 2 * margin + misalignment),
        base_(static_cast<std::ptrdiff_t>(margin + misalignment) - bounds.begin) {}

  void fill(Random& random) { random.fill(bytes_); }
  std::byte* base() { return bytes_.data() + base_; }
  const std::byte* base() const { return bytes_.data() + base_; }
  friend bool operator==(const Arena&, const Arena&) = default;

 private:
  std::vector<std::byte> bytes_;
  std::ptrdiff_t base_;
};

// The definition of a transfer, one element at a time.
inline void copy_naively(const Case& c, std::byte* target, const std::byte* source) {
  std::size_t count = 1;
  for (const std::size_t extent : c.extents) count *= extent;
  for (std::size_t number = 0; number < count; ++number) {
    std::ptrdiff_t to = 0;
    std::ptrdiff_t from = 0;
    std::size_t rest = number;
    for (std::size_t i = 0; i < c.extents.size(); ++i) {
      const auto index = static_cast<std::ptrdiff_t>(rest % c.extents[i]);
      rest /= c.extents[i];
      to += index * c.target_strides[i];
      from += index * c.source_strides[i];
    }
    std::memcpy(target + to, source + from, c.element);
  }
}

// The two filled ends of a case, and the expected target.
struct Ends {
  Ends(const Case& c, Random& random)
      : source(*bounds(c.description(), End::source), random.once_in(2) ? 0 : random.below(64)),
        target(*bounds(c.description(), End::target), random.once_in(2) ? 0 : random.below(64)),
        expected(target) {
    source.fill(random);
    target.fill(random);
    expected = target;
    copy_naively(c, expected.base(), source.base());
  }

  Arena source;
  Arena target;
  Arena expected;
};

}  // namespace gondwana::strided::test
