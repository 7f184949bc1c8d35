#include "network/settings.hpp"

#include <gtest/gtest.h>

#include "network/networks.hpp"

namespace gondwana::network {
namespace {

constexpr std::uint32_t address(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

TEST(network_settings, a_network_holds_the_addresses_that_begin_like_it) {
  const Result<Subnet> network = parse_subnet("10.1.0.0/16");
  ASSERT_TRUE(network) << network.error().text;
  EXPECT_TRUE(network->contains(address(10, 1, 255, 3)));
  EXPECT_FALSE(network->contains(address(10, 2, 0, 3)));
}

TEST(network_settings, bits_behind_the_prefix_do_not_matter) {
  const Result<Subnet> network = parse_subnet("10.1.2.3/8");
  ASSERT_TRUE(network);
  EXPECT_TRUE(network->contains(address(10, 200, 0, 1)));
}

TEST(network_settings, an_address_alone_is_itself_and_zero_bits_are_all) {
  EXPECT_TRUE(parse_subnet("10.1.2.3")->contains(address(10, 1, 2, 3)));
  EXPECT_FALSE(parse_subnet("10.1.2.3")->contains(address(10, 1, 2, 4)));
  EXPECT_TRUE(parse_subnet("0.0.0.0/0")->contains(address(192, 168, 0, 1)));
}

TEST(network_settings, what_is_no_network_is_refused) {
  for (const char* text :
       {"", "eth0", "10.1.0.0/33", "10.1.0.0/", "10.1/16", "10.1.0.0/16/8", "/8"})
    EXPECT_FALSE(parse_subnet(text)) << text;
  Options options;
  options.network = "eth0";
  const Result<Settings> settings = settings_of(options);
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().text,
            "GONDWANA_NETWORK is eth0: expected a network such as 10.1.0.0/16");
}

TEST(network_settings, a_library_that_is_not_in_the_table_is_refused_with_those_that_are) {
  Options options;
  options.network_library = "nonsense";
  const auto endpoint = open_endpoint(*settings_of(options), {});
  ASSERT_FALSE(endpoint);
  EXPECT_TRUE(
      endpoint.error().text.starts_with("GONDWANA_NETWORK_LIBRARY is nonsense: expected ofi"))
      << endpoint.error().text;
}

}  // namespace
}  // namespace gondwana::network
