#include "bootstrap/join.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <string>
#include <string_view>

#include "bootstrap/protocol.hpp"
#include "core/mapping.hpp"

namespace gondwana {
namespace {

using protocol::Arena;
using protocol::Welcome;

constexpr std::uint64_t tag = 42;
const Welcome welcome{tag, 1, 2, std::uint64_t{1} << 30, 4, 2, 3, 6};

// The launcher's end of the socket. Its messages have arrived before the rank asks.
class FakeLauncher {
 public:
  FakeLauncher() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = UniqueFd(ends[0]);
    descriptor_ = std::to_string(ends[1]);
  }

  // Sends `pages` pages of memory with the message.
  void say(const protocol::Message& message, std::size_t pages) {
    Result<UniqueFd> memory = create_memfd("join_test", pages * page_size());
    ASSERT_TRUE(memory);
    ASSERT_TRUE(protocol::send(ours_.get(), message, tag, memory->get()));
  }

  // At most once: the rank owns its end.
  Result<Membership> join() const {
    return gondwana::join([this](const char* name) {
      return std::string_view(name) == protocol::join_fd_variable ? descriptor_.c_str() : nullptr;
    });
  }

  Result<std::optional<protocol::Received>> hear() const {
    return protocol::receive(ours_.get(), 0, 5000);
  }

 private:
  UniqueFd ours_;
  std::string descriptor_;
};

std::size_t pages(const UniqueFd& memory) {
  struct stat status{};
  EXPECT_EQ(::fstat(memory.get(), &status), 0);
  return static_cast<std::size_t>(status.st_size) / page_size();
}

TEST(join, tells_who_asks_and_takes_its_place) {
  FakeLauncher launcher;
  launcher.say(welcome, 1);
  const Result<Membership> self = launcher.join();
  ASSERT_TRUE(self) << self.error().text;
  EXPECT_EQ(index(self->rank), 5U);
  EXPECT_EQ(self->ranks, 6U);
  EXPECT_EQ(self->plan.first, 4U);
  EXPECT_EQ(self->plan.ranks, 2U);
  Result<std::optional<protocol::Received>> heard = launcher.hear();
  ASSERT_TRUE(heard && heard->has_value());
  EXPECT_EQ(std::get<protocol::Join>((*heard)->message).pid, std::uint64_t(::getpid()));
}

TEST(join, refuses_a_launcher_of_another_build) {
  FakeLauncher launcher;
  Welcome other = welcome;
  ++other.layout;
  launcher.say(other, 1);
  const Result<Membership> self = launcher.join();
  ASSERT_FALSE(self);
  EXPECT_EQ(
      self.error().text,
      "the launcher is from a different build than the library; use both from one installation");
}

TEST(join, skips_what_an_earlier_program_of_the_rank_left_unread) {
  FakeLauncher launcher;
  launcher.say(Arena{0}, 2);
  launcher.say(Arena{1}, 3);
  launcher.say(welcome, 1);
  launcher.say(Arena{0}, 2);
  launcher.say(welcome, 1);
  launcher.say(Arena{0}, 2);
  launcher.say(Arena{1}, 3);
  const Result<Membership> self = launcher.join();
  ASSERT_TRUE(self) << self.error().text;
  EXPECT_EQ(pages(self->control), 1U);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const Result<UniqueFd> arena = self->next_arena(rank);
    ASSERT_TRUE(arena) << arena.error().text;
    EXPECT_EQ(pages(*arena), rank + 2U);
  }
}

}  // namespace
}  // namespace gondwana
