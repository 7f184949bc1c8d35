// The fingerprint of structure layouts: which changes alter it, and which do not.
#include "core/fingerprint.hpp"

#include <gtest/gtest.h>

#include "memory/layout.hpp"
#include "remote/protocol.hpp"

namespace gondwana {
namespace {

struct Plain {
  std::uint32_t size;
  std::uint32_t count;
};
struct Alike {
  std::uint32_t size = 7;
  std::uint32_t count = 8;

  std::uint32_t product() const { return size * count; }
};
struct Swapped {
  std::uint32_t count;
  std::uint32_t size;
};
struct OtherSign {
  std::int32_t size;
  std::uint32_t count;
};
struct Longer {
  std::uint32_t size;
  std::uint32_t count;
  std::uint32_t more;
};
struct Apart {
  std::uint32_t size;
  alignas(64) std::uint32_t count;
};
struct Atomic {
  std::atomic<std::uint32_t> size;
  std::uint32_t count;
};
struct OfPlain {
  std::array<Plain, 2> pair;
};
struct OfSwapped {
  std::array<Swapped, 2> pair;
};

template <typename T>
constexpr std::uint64_t number = fingerprint_of<T>();

TEST(Fingerprint, SaysTheSameOfTheSameFields) {
  EXPECT_EQ(number<Plain>, number<Alike>);
}

TEST(Fingerprint, SeesNamesOrderTypesAndPlaces) {
  const std::array others{number<Swapped>, number<OtherSign>, number<Longer>, number<Apart>,
                          number<Atomic>};
  for (const std::uint64_t other : others) EXPECT_NE(number<Plain>, other);
}

TEST(Fingerprint, LooksIntoFieldsOfFields) {
  EXPECT_NE(number<OfPlain>, number<OfSwapped>);
}

TEST(Fingerprint, SeesWhichStructuresAreListedAndInWhichOrder) {
  EXPECT_NE((fingerprint_of<Plain, Longer>()), (fingerprint_of<Longer, Plain>()));
  EXPECT_NE((fingerprint_of<Plain, Longer>()), fingerprint_of<Plain>());
}

TEST(Fingerprint, OnlyListedStructuresArePlacedInMemoryOrSent) {
  static_assert(SharedStructure<ControlPage> && !SharedStructure<Plain>);
  static_assert(remote::Message<remote::Request> && !remote::Message<Plain>);
  EXPECT_NE(memory_fingerprint, remote::protocol_fingerprint());
}

}  // namespace
}  // namespace gondwana
