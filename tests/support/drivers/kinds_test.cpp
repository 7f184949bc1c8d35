// The table of kinds, and the operations of a vendor's device, on the libraries that replace the
// vendors' drivers: STANDIN_KIND names one. Ranks with devices are tested in tests/ranks.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/variables.hpp"
#include "support/drivers/kinds_test.hpp"

namespace gondwana {
namespace {

// The first test: others leave a context.
TEST(kinds_of_programs, a_kind_is_opened_when_the_program_has_a_context) {
  if (vendor() != "cuda") GTEST_SKIP();
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Call>(::dlsym(library, name));
  };
  const Options options;
  Kinds kinds(options);
  int count = 0;
  int device = 0;
  void* context = nullptr;
  std::byte* memory = nullptr;
  ASSERT_EQ(find("cuInit")(0U), 0);
  kinds.open_used();
  EXPECT_FALSE(kinds.is_near_device(&device)) << "no driver is asked about addresses";
  ASSERT_EQ(find("cuDeviceGetCount")(&count), 0);
  ASSERT_EQ(find("cuDeviceGet")(&device, count > 1 ? 1 : 0), 0);
  ASSERT_EQ(find("cuDevicePrimaryCtxRetain")(&context, device), 0);
  kinds.open_used();
  EXPECT_TRUE(kinds.is_near_device(&device));
  ASSERT_EQ(find("cuCtxPushCurrent_v2")(context), 0);
  ASSERT_EQ(find("cuMemAlloc_v2")(&memory, std::size_t{4000}), 0);
  const Kind* owner = kinds.of({memory, 4000});
  ASSERT_NE(owner, nullptr);
  EXPECT_EQ(name_of(owner->device()), count > 1 ? "cuda:1" : "cuda:0");
  ASSERT_EQ(find("cuMemFree_v2")(memory), 0);
  ASSERT_EQ(find("cuCtxPopCurrent_v2")(&context), 0);
  ASSERT_EQ(find("cuDevicePrimaryCtxRelease_v2")(device), 0);
  Kinds named(options_of());
  named.open_used();
  EXPECT_TRUE(named.is_near_device(&device)) << "GONDWANA_KINDS names it";
  ::dlclose(library);
}

TEST(kinds, devices_have_numbers_over_all_kinds) {
  Kinds kinds(options_of(3));
  EXPECT_TRUE(kinds.has_devices());
  EXPECT_EQ(kinds.devices(), 5U);
  EXPECT_EQ(name_of((*kinds.device(0))->device()), vendor() + ":0");
  EXPECT_EQ(name_of((*kinds.device(1))->device()), vendor() + ":1");
  EXPECT_EQ(name_of((*kinds.device(4))->device()), "emulated:2");
  EXPECT_EQ(kinds.number_of(**kinds.device(4)), 4);
  EXPECT_EQ(*kinds.device(1), *kinds.find((*kinds.device(1))->device()));
  EXPECT_NE(error_of(kinds.device(5)).find("device 5: this process has 5 devices"),
            std::string::npos);
  EXPECT_EQ(error_of(kinds.device(-1)), "device -1: expected 0 or more");
  EXPECT_NE(error_of(kinds.find({(*kinds.device(0))->device().kind, 7}))
                .find(vendor() + ":7: this process has 2 " + vendor() + " devices"),
            std::string::npos);
}

TEST(kinds, one_that_is_not_asked_for_is_told) {
  Options options;
  options.kinds = "none";
  Kinds kinds(options);
  EXPECT_FALSE(kinds.has_devices());
  EXPECT_EQ(kinds.devices(), 0U);
  for (const Kinds::Listed& each : kinds.list()) EXPECT_FALSE(each.why_none.empty()) << each.name;
  EXPECT_EQ(error_of(kinds.device(0)),
            "device 0: this process has 0 devices; GONDWANA_KINDS and GONDWANA_EMULATED_DEVICES "
            "select its devices");
  EXPECT_NE(error_of(kinds.find({KindId::hip, 0})).find("set GONDWANA_KINDS=hip"),
            std::string::npos);
  EXPECT_NE(error_of(kinds.find({KindId::host, 0})), "no error");
}

TEST(kinds, names_in_the_variable_are_checked) {
  const auto read_kinds = [](const char* value) {
    return read_options([value](const char* name) {
      return std::strcmp(name, "GONDWANA_KINDS") == 0 ? value : nullptr;
    });
  };
  EXPECT_EQ((*read_kinds("auto")).kinds, "");
  EXPECT_EQ((*read_kinds("none,cuda")).kinds, "none,cuda");
  EXPECT_NE(error_of(read_kinds("cuda,cdua")).find("\"cdua\": expected cuda, "), std::string::npos);
  EXPECT_NE(error_of(read_kinds("")).find("expected cuda, "), std::string::npos);
}

TEST(kinds, memory_is_zeroed_and_copied) {
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  constexpr std::size_t size = 100'000;
  const MutableBytes memory = *kind.allocate(size);
  EXPECT_EQ(read(kind, memory), std::vector<std::byte>(size));
  const std::vector<std::byte> ones(size, std::byte{1});
  ASSERT_TRUE(kind.copy_now(memory.data(), ones.data(), size));
  EXPECT_EQ(read(kind, memory), ones);
  EXPECT_TRUE(kind.holds(memory.subspan(size - 1, 1)));
  EXPECT_FALSE(kind.holds({memory.data() + 1, size}));
  EXPECT_EQ(kinds.of(memory.subspan(10)), &kind);
  EXPECT_EQ(kinds.of(ones), nullptr);
  EXPECT_FALSE(kind.release(memory.data() + 1));
  EXPECT_TRUE(kind.release(memory.data()));
  EXPECT_FALSE(kind.release(memory.data()));
}

TEST(kinds, many_copies_have_one_completion) {
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  const MutableBytes memory = *kind.allocate(64 * 1024);
  const std::vector<std::byte> host(1024, std::byte{7});
  Completion done;
  for (std::size_t i = 0; i < 64; ++i)
    ASSERT_TRUE(kind.copy(memory.data() + i * 1024, host.data(), host.size(), done));
  EXPECT_TRUE(kind.complete(done));
  EXPECT_EQ(read(kind, memory), std::vector<std::byte>(memory.size(), std::byte{7}));
  kind.release(memory.data());
}

TEST(kinds, threads_wait_for_their_own_copies) {
  Kinds kinds(options_of());
  Kind& kind = second_of(kinds);
  std::array<std::jthread, 4> threads;
  for (std::size_t i = 0; i < threads.size(); ++i)
    threads.at(i) = std::jthread([&kind, i] {
      const MutableBytes memory = *kind.allocate(8000);
      for (int round = 0; round < 50; ++round) {
        const std::vector<std::byte> host(8000, static_cast<std::byte>(i * 50 + 1));
        ASSERT_TRUE(kind.copy_now(memory.data(), host.data(), host.size()));
        ASSERT_EQ(read(kind, memory), host);
      }
      kind.release(memory.data());
    });
}

TEST(kinds, memory_that_is_left_is_freed) {
  Kinds kinds(options_of());
  EXPECT_TRUE((*kinds.device(0))->allocate(100));
  EXPECT_TRUE(second_of(kinds).allocate(5000));
}

// With STANDIN_ENDS=early the driver ends first at exit.
TEST(kinds, devices_may_outlive_their_driver) {
  static Kinds kinds(options_of());
  EXPECT_TRUE((*kinds.device(0))->allocate(100));
}

TEST(kinds, errors_name_the_device_and_the_call) {
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  const MutableBytes memory = *kind.allocate(100);
  const std::string device = vendor() + ":0";
  std::vector<std::byte> host(100);
  const char* allocate = call("cuMemAlloc_v2", "hipMalloc", "zeMemAllocDevice");
  const char* out_of_memory = call("CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory",
                                   "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY");
  const auto too_much = kind.allocate(std::size_t{2} << 30);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, Errc::out_of_memory);
  EXPECT_EQ(too_much.error().text, "2 GiB on " + device + ": " + allocate + ": " + out_of_memory);
  const char* copy = call("cuMemcpyAsync", "hipMemcpyAsync", "zeCommandListAppendMemoryCopy");
  {
    const Failing now(copy, "1");
    EXPECT_NE(error_of(kind.copy_now(host.data(), memory.data(), 100))
                  .find("a copy of 100 B by " + device + ": " + copy),
              std::string::npos);
  }
  {
    const char* wait =
        call("cuEventSynchronize", "hipEventSynchronize", "zeCommandListAppendMemoryCopy");
    const Failing now(wait, "1");
    EXPECT_NE(error_of(kind.copy_now(memory.data(), host.data(), 100)).find(wait),
              std::string::npos);
  }
  EXPECT_TRUE(kind.copy_now(memory.data(), host.data(), 100)) << "it goes on";
  const auto outside = kind.share({host.data(), 10});
  EXPECT_NE(error_of(outside).find("are not in one allocation of " + device), std::string::npos);
  kind.release(memory.data());
}

// In replacements with events, each query executes one copy.
TEST(kinds, copies_can_be_tested_without_a_wait) {
  Kinds kinds(options_of(1));
  Kind& kind = **kinds.device(0);
  const MutableBytes memory = *kind.allocate(3000);
  const std::vector<std::byte> host(3000, std::byte{5});
  Completion done;
  EXPECT_TRUE(kind.test(done)) << "nothing is under way";
  for (std::size_t at = 0; at < host.size(); at += 1000)
    ASSERT_TRUE(kind.copy(memory.data() + at, host.data() + at, 1000, done));
  int tests = 1;
  while (!kind.test(done)) ++tests;
  if (is_stand_in()) {
    EXPECT_EQ(tests, vendor() == "ze" ? 1 : 3);
  }
  EXPECT_EQ(read(kind, memory), host);
  Completion later;
  ASSERT_TRUE(kind.copy(memory.data(), host.data(), 1000, later));
  if (!kind.test(later)) kind.wait(later);
  kind.release(memory.data());
}

TEST(kinds, devices_of_one_vendor_copy_between_them) {
  Kinds kinds(options_of(1));
  Kind& one = **kinds.device(0);
  Kind& other = second_of(kinds);
  EXPECT_FALSE(one.reaches(**kinds.device(static_cast<int>(kinds.devices()) - 1)));
  if (!one.reaches(other)) GTEST_SKIP() << "they do not reach each other";
  const MutableBytes from = *one.allocate(5000);
  const MutableBytes to = *other.allocate(5000);
  const std::vector<std::byte> host(5000, std::byte{3});
  ASSERT_TRUE(one.copy_now(from.data(), host.data(), host.size()));
  ASSERT_TRUE(other.copy_now(to.data(), from.data(), host.size()));
  EXPECT_EQ(read(other, to), host);
  one.release(from.data());
  other.release(to.data());
}

// Without an event the whole stream is waited for. If an event fails, that happens too, and the
// error is reported.
TEST(kinds, no_copy_is_under_way_when_its_completion_ends) {
  if (vendor() == "ze") GTEST_SKIP() << "its copies end at once";
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  const MutableBytes memory = *kind.allocate(1000);
  std::vector<std::byte> host(1000, std::byte{1});
  for (const char* each : {call("cuEventCreate", "hipEventCreateWithFlags", ""),
                           call("cuEventRecord", "hipEventRecord", "")}) {
    const Failing now(each, "1");
    ASSERT_TRUE(kind.copy_now(host.data(), memory.data(), 1000)) << each;
    EXPECT_EQ(host, std::vector<std::byte>(1000)) << each;
    host.assign(1000, std::byte{1});
  }
  const Failing now(call("cuEventSynchronize", "hipEventSynchronize", ""), "1");
  EXPECT_FALSE(kind.copy_now(host.data(), memory.data(), 1000));
  EXPECT_EQ(host, std::vector<std::byte>(1000));
  kind.release(memory.data());
}

// If a kind has no call for it, nothing happens. At exit the replacement checks for leftovers.
TEST(kinds, host_memory_is_pinned) {
  std::vector<std::byte> host(std::size_t{64} * 1024, std::byte{5});
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  EXPECT_TRUE(kind.pin(host));
  EXPECT_TRUE(second_of(kinds).pin(host)) << "another device may, too";
  const MutableBytes memory = *kind.allocate(host.size());
  ASSERT_TRUE(kind.copy_now(memory.data(), host.data(), host.size()));
  EXPECT_EQ(read(kind, memory), host);
  second_of(kinds).unpin(host.data());
  kind.unpin(host.data());
  kind.unpin(host.data());  // not pinned: nothing happens
  EXPECT_TRUE(second_of(kinds).pin(host));
  kind.release(memory.data());
  if (vendor() == "ze") return;
  const Failing now(call("cuMemHostRegister_v2", "hipHostRegister", ""), "1");
  EXPECT_NE(
      error_of(kind.pin(host)).find("cannot pin 64 KiB of host memory for " + vendor() + ":0: "),
      std::string::npos)
      << error_of(kind.pin(host));
}

TEST(kinds, a_child_by_fork_is_told) {
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  const MutableBytes memory = *kind.allocate(100);
  const pid_t child = ::fork();
  if (child == 0) {
    std::array<std::byte, 100> host{};
    const bool is_told = error_of(kind.copy_now(host.data(), memory.data(), 100)).find("forked") !=
                             std::string::npos &&
                         error_of(kind.allocate(10)).find("forked") != std::string::npos;
    ::_exit(is_told ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  kind.release(memory.data());
}

// Run with STANDIN_FAIL or without a library.
TEST(kinds_that_cannot_start, say_why) {
  const char* expected = std::getenv("EXPECTED");
  if (expected == nullptr) GTEST_SKIP() << "no EXPECTED";
  Kinds kinds(options_of());
  if (std::string(expected).find("cannot be loaded") != std::string::npos && kinds.devices() > 0)
    GTEST_SKIP() << "this machine has the library";
  EXPECT_EQ(kinds.devices(), 0U);
  EXPECT_NE(error_of(kinds.device(0)).find(expected), std::string::npos)
      << error_of(kinds.device(0));
}

}  // namespace
}  // namespace gondwana
