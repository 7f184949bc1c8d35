#include "bootstrap/unique_id/unique_id.hpp"

#include <gtest/gtest.h>

#include <array>

#include "bootstrap/unique_id/internet.hpp"

namespace gondwana {
namespace {

UniqueId example() {
  return {.build = 1,
          .machine = 2,
          .key = {3, 4},
          .port = 5,
          .addresses = {loopback_address(), InternetAddress{std::byte{0x20}, std::byte{1}}}};
}

TEST(unique_id, is_read_as_it_was_written) {
  const Result<UniqueId> read = read_unique_id(write_unique_id(example()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->build, 1U);
  EXPECT_EQ(read->machine, 2U);
  EXPECT_EQ(read->key, (HashKey{3, 4}));
  EXPECT_EQ(read->port, 5U);
  EXPECT_EQ(read->addresses, example().addresses);
}

TEST(unique_id, any_changed_byte_is_told) {
  const UniqueIdBytes whole = write_unique_id(example());
  for (std::size_t at = 0; at < 116; ++at) {
    UniqueIdBytes changed = whole;
    changed[at] ^= std::byte{1};
    EXPECT_FALSE(read_unique_id(changed)) << at;
  }
}

TEST(unique_id, other_bytes_are_told) {
  const Result<UniqueId> read = read_unique_id({});
  ASSERT_FALSE(read);
  EXPECT_EQ(
      read.error().text,
      "these 128 bytes are not a unique id of Gondwana; pass on all bytes that the call for a "
      "unique id wrote");
}

TEST(unique_id, addresses_of_both_protocols_have_texts) {
  EXPECT_EQ(text_of(loopback_address()), "127.0.0.1");
  EXPECT_EQ(text_of({std::byte{0x20}, std::byte{1}}), "2001::");
  const SocketAddress place = socket_address(loopback_address(), 80);
  EXPECT_EQ(place.value.ss_family, AF_INET);
  EXPECT_EQ(address_in(reinterpret_cast<const sockaddr&>(place.value)), loopback_address());
}

// From the paper on SipHash: the hash of the bytes 0 to 14 has this value; of whole words the
// reference program gives the values below.
TEST(keyed_hash, has_the_values_of_siphash) {
  constexpr HashKey key{0x0706'0504'0302'0100, 0x0f0e'0d0c'0b0a'0908};
  constexpr std::array<std::uint64_t, 1> eight{0x0706'0504'0302'0100};
  EXPECT_EQ(keyed_hash(key, {}), 0x726f'db47'dd0e'0e31U);
  EXPECT_EQ(keyed_hash(key, eight), 0x93f5'f579'9a93'2462U);
}

}  // namespace
}  // namespace gondwana
