// Memory requirements of libfabric providers, with a test provider whose requirements the test
// sets. libfabric loads it once, so each test has its own process.
#include "network/ofi/provider.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "network/ofi/open.hpp"

namespace gondwana::ofi {
namespace {

constexpr network::Receives receives{.buffers = 4, .longest = 4096};

class Provider : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Prints which provider it has opened, or why not. `locked`: bytes that may be registered.
  [[noreturn]] static void open(const char* demands, const char* locked = "") {
    ::setenv("FI_PROVIDER_PATH", STRICT_FOLDER, 1);
    ::setenv("FI_STRICT_MR", demands, 1);
    ::setenv("FI_STRICT_LOCKED", locked, 1);
    const rlimit limit{64 * 1024, 64 * 1024};
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    const Settings settings{
        .library = {}, .provider = "strict", .subnet = *network::parse_subnet("127.0.0.0/8")};
    const auto endpoint = ofi::open(settings, receives);
    std::fputs(endpoint ? (*endpoint)->describe().c_str() : endpoint.error().text.c_str(), stderr);
    std::_Exit(endpoint ? 0 : 1);  // libfabric keeps memory, which is not what is tested
  }
};

TEST_F(Provider, may_demand_that_all_memory_is_registered) {
  EXPECT_EXIT(open("local,virt_addr,prov_key,allocated,endpoint"), testing::ExitedWithCode(0),
              "^strict of libfabric");
}

TEST_F(Provider, that_demands_what_we_do_not_do_is_refused_by_name) {
  EXPECT_EXIT(open("raw,local"), testing::ExitedWithCode(1),
              "^libfabric provider strict requires FI_MR_RAW for registered memory, which Gondwana "
              "does not support; set GONDWANA_PROVIDER to another one$");
}

TEST_F(Provider, that_may_lock_too_little_is_reported_with_what_to_do) {
  EXPECT_EXIT(open("local", "4096"), testing::ExitedWithCode(1),
              "^libfabric: cannot register 64 KiB of memory: Cannot allocate memory; "
              "registered memory is locked, here at most 64 KiB: raise `ulimit -l`$");
}

}  // namespace
}  // namespace gondwana::ofi
