#include "report/top/asked_host.hpp"

#include <gtest/gtest.h>

namespace gondwana::top {
namespace {

TEST(asked_host, addresses_and_names_of_this_host_are_its_own) {
  for (const char* header :
       {"", "127.0.0.1", "127.0.0.1:9750", "10.1.2.3:80", "[::1]", "[::1]:9750", "localhost:9750",
        "LocalHost", "node7", "node7.cluster:9750", "NODE7:1"})
    EXPECT_TRUE(accepts_host(header, "node7.cluster")) << header;
}

TEST(asked_host, names_of_foreign_sites_are_not) {
  for (const char* header :
       {"evil.example", "evil.example:9750", "127.0.0.1.evil.example", "localhost.evil.example",
        "node7.evil.example", "node", "[", "[evil", "[evil.example]:80", ":80"})
    EXPECT_FALSE(accepts_host(header, "node7.cluster")) << header;
}

}  // namespace
}  // namespace gondwana::top
