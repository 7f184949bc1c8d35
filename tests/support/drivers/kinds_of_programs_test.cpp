// Vendor kinds whose drivers the program uses itself, on the libraries that replace these drivers.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>

#include "support/drivers/kinds_test.hpp"

namespace gondwana {
namespace {

TEST(kinds_of_hip, the_programs_device_and_last_error_stay) {
  if (vendor() != "hip") GTEST_SKIP();
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  void* library = ::dlopen("libamdhip64.so.6", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Call>(::dlsym(library, name));
  };
  ASSERT_EQ(find("hipSetDevice")(1), 0);
  const MutableBytes memory = *kind.allocate(100);
  EXPECT_EQ(kinds.of(std::as_bytes(std::span(&library, 1))), nullptr);
  EXPECT_EQ(read(kind, memory), std::vector<std::byte>(100));
  kind.release(memory.data());
  int device = -1;
  ASSERT_EQ(find("hipGetDevice")(&device), 0);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(find("hipGetLastError")(), 0);
  ASSERT_EQ(find("hipSetDevice")(0), 0);
  ::dlclose(library);
}

TEST(kinds_of_programs, a_capture_of_the_program_goes_on) {
  if (vendor() == "ze") GTEST_SKIP() << "it has no captures";
  if (!is_stand_in()) GTEST_SKIP() << "needs calls of a stand-in";
  Kinds kinds(options_of());
  Kind& kind = **kinds.device(0);
  void* library = ::dlopen(call("libcuda.so.1", "libamdhip64.so.6", ""), RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto capture = reinterpret_cast<Call>(::dlsym(library, "standinCapture"));
  std::vector<std::byte> host(4096, std::byte{3});
  capture(1);
  EXPECT_TRUE(kind.pin(host));
  const MutableBytes memory = *kind.allocate(host.size());
  Completion done;
  ASSERT_TRUE(kind.copy(memory.data(), host.data(), host.size(), done));
  while (!kind.test(done)) continue;
  EXPECT_EQ(read(kind, memory), host);
  kind.release(memory.data());
  kind.unpin(host.data());
  EXPECT_EQ(capture(0), 1);
  ::dlclose(library);
}

TEST(kinds_of_cuda, a_program_uses_the_driver_too) {
  if (vendor() != "cuda") GTEST_SKIP();
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Call>(::dlsym(library, name));
  };
  if (!is_stand_in()) GTEST_SKIP() << "a real driver does not end the process";
  const Options options;  // loading the library is enough
  Kinds kinds(options);
  EXPECT_TRUE(kinds.has_devices());
  ASSERT_EQ(find("cuInit")(0U), 0);
  int device = 0;
  void* context = nullptr;
  std::byte* memory = nullptr;
  ASSERT_EQ(find("cuDeviceGet")(&device, 1), 0);
  ASSERT_EQ(find("cuDevicePrimaryCtxRetain")(&context, device), 0);
  ASSERT_EQ(find("cuCtxPushCurrent_v2")(context), 0);
  ASSERT_EQ(find("cuMemAlloc_v2")(&memory, std::size_t{4000}), 0);
  EXPECT_EQ(kinds.of({memory, 4000}), nullptr) << "no device was used through this library";
  Kind* owner = kinds.owner_of({memory, 4000});
  ASSERT_NE(owner, nullptr);
  EXPECT_EQ(name_of(owner->device()), "cuda:1");
  EXPECT_EQ(kinds.of({memory, 4000}), owner);
  const MutableBytes other = *(*kinds.device(0))->allocate(4000);
  EXPECT_TRUE(owner->copy_now(memory, other.data(), 4000));
  EXPECT_TRUE(owner->share({memory + 100, 3900}));
  (*kinds.device(0))->release(other.data());
  void* popped = nullptr;
  ASSERT_EQ(find("cuMemFree_v2")(memory), 0);
  ASSERT_EQ(find("cuCtxPopCurrent_v2")(&popped), 0);
  EXPECT_EQ(popped, context) << "the program's context is still current";
  ASSERT_EQ(find("cuDevicePrimaryCtxRelease_v2")(device), 0);
  // The stand-in is strict.
  EXPECT_DEATH(find("cuCtxPopCurrent_v2")(&popped), "nothing was pushed in this thread");
  EXPECT_DEATH(find("cuMemAlloc_v2")(&memory, std::size_t{1}), "no context is current");
  ::dlclose(library);
}

TEST(kinds_of_cuda, no_driver_is_asked_about_stacks_and_small_blocks) {
  if (!is_stand_in()) GTEST_SKIP() << "needs calls of a stand-in";
  if (vendor() != "cuda") GTEST_SKIP();
  Kinds kinds(options_of());
  const MutableBytes memory = *(*kinds.device(0))->allocate(100);
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto questions = reinterpret_cast<unsigned (*)()>(::dlsym(library, "standinQuestions"));
  const unsigned before = questions();
  const std::byte on_stack{};
  EXPECT_EQ(kinds.of({&on_stack, 1}), nullptr);
  std::thread([&kinds] {
    const std::byte on_another{};
    EXPECT_EQ(kinds.of({&on_another, 1}), nullptr);
  }).join();
  void* end = ::sbrk(4096);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(kinds.of({static_cast<std::byte*>(end), 1}), nullptr);
  EXPECT_EQ(questions(), before);
  EXPECT_NE(kinds.of(memory), nullptr);
  EXPECT_EQ(questions(), before + 1);
  (*kinds.device(0))->release(memory.data());
  ::dlclose(library);
}

// As cuda.h has them.
struct Properties {
  int type = 1;
  int types_of_handles;
  int kind_of_place = 1;
  int device = 1;
  void* of_other_systems = nullptr;
  std::array<unsigned char, 8> flags = {};
};
struct Access {
  int kind_of_place = 1;
  int device = 1;
  int rights = 3;
};

// The calls of a program that maps its own memory.
class MappedByProgram {
 public:
  static constexpr std::size_t size = std::size_t{2} << 20;  // what hardware maps at least

  MappedByProgram(void* library, std::byte* at, int types, const Kind& on)
      : library_(library), begin_(at) {
    const auto device = static_cast<int>(on.device().number);
    const Properties properties{.types_of_handles = types, .device = device};
    const Access access{.device = device};
    EXPECT_EQ(call("cuMemCreate")(&handle_, size, &properties, 0ULL), 0);
    EXPECT_EQ(call("cuMemMap")(at, size, std::size_t{0}, handle_, 0ULL), 0);
    EXPECT_EQ(call("cuMemSetAccess")(at, size, &access, std::size_t{1}), 0);
  }
  MappedByProgram(const MappedByProgram&) = delete;
  MappedByProgram& operator=(const MappedByProgram&) = delete;
  ~MappedByProgram() {
    EXPECT_EQ(call("cuMemUnmap")(begin_, size), 0);
    EXPECT_EQ(call("cuMemRelease")(handle_), 0);
  }
  MutableBytes memory() const { return {begin_, size}; }

 private:
  Call call(const char* name) const { return reinterpret_cast<Call>(::dlsym(library_, name)); }

  void* library_;
  std::byte* begin_;
  unsigned long long handle_ = 0;
};

// Another process maps the handle's memory. Returns its exit status.
int status_of_peer(const SharedHandle& handle) {
  std::string words;
  for (const std::uint64_t word : handle) words += std::to_string(word) + " ";
  ::setenv("SHARED_HANDLE", words.c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "kinds_tests", "--gtest_brief=1", "--gtest_filter=peer_of_cuda.*",
            nullptr);
    ::_exit(99);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  ::unsetenv("SHARED_HANDLE");
  return status;
}

TEST(peer_of_cuda, maps_what_it_has_the_handle_of) {
  const char* words = std::getenv("SHARED_HANDLE");
  if (words == nullptr) GTEST_SKIP() << "run by another test";
  SharedHandle handle{};
  std::istringstream list(words);
  for (std::uint64_t& word : handle) list >> word;
  Kinds kinds(options_of());
  Kind& kind = second_of(kinds);
  const Result<MutableBytes> mapped = kind.map(handle, 5000);
  ASSERT_TRUE(mapped) << error_of(mapped);
  EXPECT_EQ(kinds.of(*mapped), &kind);
  EXPECT_EQ(read(kind, *mapped), std::vector<std::byte>(5000, std::byte{3}));
  const std::vector<std::byte> fours(5000, std::byte{4});
  EXPECT_TRUE(kind.copy_now(mapped->data(), fours.data(), fours.size()));
  kind.unmap(*mapped);
}

std::size_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(kinds_of_cuda, memory_that_the_program_maps_is_shared_by_a_descriptor) {
  if (vendor() != "cuda") GTEST_SKIP();
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Call>(::dlsym(library, name));
  };
  Kinds kinds(options_of());
  Kind& kind = second_of(kinds);
  std::byte* range = nullptr;
  constexpr std::size_t length = 4 * MappedByProgram::size;  // more than is mapped
  ASSERT_EQ(find("cuMemAddressReserve")(&range, length, std::size_t{0}, 0ULL, 0ULL), 0);
  {
    const MappedByProgram first(library, range + MappedByProgram::size, 1, kind);
    const MappedByProgram second(library, range + 2 * MappedByProgram::size, 1, kind);
    const MappedByProgram third(library, range, 0, kind);
    EXPECT_EQ(kinds.of(first.memory()), &kind);
    const MutableBytes shared = first.memory().subspan(4096, 5000);
    const std::vector<std::byte> threes(5000, std::byte{3});
    ASSERT_TRUE(kind.copy_now(shared.data(), threes.data(), threes.size()));
    const std::size_t before = descriptors();
    const Result<SharedHandle> handle = kind.share(shared);
    ASSERT_TRUE(handle) << error_of(handle);
    EXPECT_EQ(status_of_peer(*handle), 0);
    EXPECT_EQ(read(kind, shared), std::vector<std::byte>(5000, std::byte{4}));
    kind.unshare(*handle);
    EXPECT_EQ(descriptors(), before);
    EXPECT_NE(error_of(kind.share({first.memory().data() + 1, MappedByProgram::size}))
                  .find(name_of(kind.device()) + ": it spans several adjacent allocations"),
              std::string::npos);
    EXPECT_NE(error_of(kind.share(third.memory())).find("cuMemCreate() without"),
              std::string::npos);
  }
  ASSERT_EQ(find("cuMemAddressFree")(range, length), 0);
  ::dlclose(library);
}

TEST(kinds_of_cuda, memory_of_a_pool_is_refused_in_words) {
  if (vendor() != "cuda") GTEST_SKIP();
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Call>(::dlsym(library, name));
  };
  Kinds kinds(options_of());
  const Kind& kind = **kinds.device(0);
  int device = 0;
  void* context = nullptr;
  std::byte* memory = nullptr;
  ASSERT_EQ(find("cuDeviceGet")(&device, 0), 0);
  ASSERT_EQ(find("cuDevicePrimaryCtxRetain")(&context, device), 0);
  ASSERT_EQ(find("cuCtxPushCurrent_v2")(context), 0);
  ASSERT_EQ(find("cuMemAllocAsync")(&memory, std::size_t{4000}, nullptr), 0);
  EXPECT_EQ(kinds.of({memory, 4000}), &kind) << "it is copied as any other";
  EXPECT_NE(
      error_of(kind.share({memory, 4000})).find("cuda:0: it is memory from cudaMallocAsync()"),
      std::string::npos);
  ASSERT_EQ(find("cuMemFree_v2")(memory), 0);
  ASSERT_EQ(find("cuCtxPopCurrent_v2")(&context), 0);
  ASSERT_EQ(find("cuDevicePrimaryCtxRelease_v2")(device), 0);
  ::dlclose(library);
}

}  // namespace
}  // namespace gondwana
