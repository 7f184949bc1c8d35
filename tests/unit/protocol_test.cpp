#include "bootstrap/protocol.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/mapping.hpp"

namespace gondwana::protocol {
namespace {

constexpr std::uint64_t tag = 0x1234'5678'9abc'def0;
const Welcome welcome{tag, 3, 8, std::uint64_t{1} << 32, 16, 2, 4, 32, huge_page};
constexpr std::size_t version_offset = 4;
constexpr std::size_t kind_offset = 6;

std::string refusal(const Packet& packet, std::uint64_t job_tag, std::size_t size = Packet::size) {
  const Result<Message> message = decode(Bytes(packet.bytes, size), job_tag);
  EXPECT_FALSE(message);
  return message ? "" : message.error().text;
}

bool is_refused(const Message& message) {
  return !decode(Bytes(encode(message, tag).bytes), tag);
}

struct SocketPair {
  UniqueFd left;
  UniqueFd right;

  SocketPair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    left = UniqueFd(ends[0]);
    right = UniqueFd(ends[1]);
  }
};

TEST(protocol, each_message_comes_back_from_its_bytes) {
  const std::array<Message, 10> messages{Join{42},
                                         welcome,
                                         Arena{7},
                                         GlobalExit{-1},
                                         Hello{9, 3},
                                         Ready{1},
                                         Image{2},
                                         ShrinkEntry{.team = 1, .size = 2},
                                         WorldEntry{.rank = 1},
                                         Arrival{3}};
  for (const Message& message : messages) {
    const Packet packet = encode(message, tag);
    const Result<Message> back = decode(Bytes(packet.bytes), tag);
    ASSERT_TRUE(back) << message.index();
    const Packet again = encode(*back, tag);
    EXPECT_EQ((*back).index(), message.index());
    EXPECT_TRUE(std::ranges::equal(packet.bytes, again.bytes));
  }
}

TEST(protocol, welcome_keeps_its_values) {
  const Result<Message> message = decode(Bytes(encode(welcome, tag).bytes), tag);
  ASSERT_TRUE(message);
  const auto& back = std::get<Welcome>(*message);
  EXPECT_EQ(back.job_tag, tag);
  EXPECT_EQ(back.rank, 3U);
  EXPECT_EQ(back.ranks, 8U);
  EXPECT_EQ(back.stride, std::uint64_t{1} << 32);
  EXPECT_EQ(back.first, 16U);
  EXPECT_EQ(back.node, 2U);
  EXPECT_EQ(back.nodes, 4U);
  EXPECT_EQ(back.job_ranks, 32U);
  EXPECT_EQ(back.huge, huge_page);
  EXPECT_EQ(back.layout, memory_fingerprint);
}

TEST(protocol, message_of_another_job_is_refused) {
  const Packet packet = encode(Join{42}, tag);
  EXPECT_EQ(refusal(packet, tag + 1), "a message between launcher and rank belongs to another job");
  EXPECT_TRUE(decode(Bytes(packet.bytes), 0)) << "a rank that does not know its tag yet takes any";
}

TEST(protocol, message_of_another_version_says_what_to_do) {
  Packet packet = encode(Join{42}, tag);
  packet.bytes[version_offset] = std::byte{99};
  EXPECT_EQ(refusal(packet, tag),
            "a message between launcher and rank has version 99, this build uses 12; use the "
            "launcher and the library of one installation");
}

TEST(protocol, bytes_that_are_not_a_message_are_refused) {
  const Packet packet = encode(Join{42}, tag);
  EXPECT_EQ(refusal(packet, tag, Packet::size - 1),
            "a message between launcher and rank has 111 bytes, not 112");
  EXPECT_EQ(refusal(Packet{}, tag), "a message between launcher and rank is not from Gondwana");
  Packet unknown = packet;
  unknown.bytes[kind_offset] = std::byte{std::variant_size_v<Message>};
  EXPECT_EQ(refusal(unknown, tag), "a message between launcher and rank has an unknown kind");
}

TEST(protocol, values_out_of_range_are_refused) {
  const auto one_node = [](std::uint32_t rank, std::uint32_t ranks, std::uint64_t stride) {
    return Welcome{tag, rank, ranks, stride, 0, 0, 1, ranks};
  };
  EXPECT_FALSE(is_refused(one_node(7, 8, 1 << 30)));
  EXPECT_TRUE(is_refused(one_node(8, 8, 1 << 30))) << "rank 8 of 8";
  EXPECT_TRUE(is_refused(one_node(0, 0, 1 << 30))) << "no ranks";
  EXPECT_TRUE(is_refused(one_node(0, max_ranks + 1, 1 << 30))) << "too many ranks";
  EXPECT_TRUE(is_refused(one_node(0, 8, (1 << 30) + 1))) << "stride not of whole huge pages";
  EXPECT_TRUE(is_refused(one_node(0, 8, huge_page))) << "stride too short";
  EXPECT_TRUE(is_refused(one_node(0, 8, std::uint64_t{1} << 45))) << "more than address space";
  EXPECT_FALSE(is_refused(Welcome{tag, 0, 2, 1 << 30, 2, 1, 2, 4}));
  EXPECT_TRUE(is_refused(GlobalExit{0, 2})) << "on purpose or not";
  EXPECT_TRUE(is_refused(Welcome{tag, 0, 2, 1 << 30, 3, 1, 2, 4})) << "ranks beyond the job";
  EXPECT_TRUE(is_refused(Welcome{tag, 0, 2, 1 << 30, 2, 2, 2, 4})) << "node 2 of 2";
  EXPECT_TRUE(is_refused(Welcome{tag, 0, 2, 1 << 30, 2, 1, 5, 4})) << "more nodes than ranks";
  const auto later = [](std::uint32_t rank, Session session) {
    Welcome welcome{tag, rank, 2, 1 << 30, 0, 0, 1, 2};
    welcome.max_ranks = 6;
    welcome.session = session;
    return welcome;
  };
  EXPECT_FALSE(is_refused(later(4, {3, 3})));
  EXPECT_TRUE(is_refused(later(2, {3, 3}))) << "not of its session";
  EXPECT_TRUE(is_refused(later(4, {3, 4}))) << "a session beyond the capacity";
  const auto huge = [](std::uint64_t bytes) {
    return Welcome{tag, 0, 1, std::uint64_t{1} << 32, 0, 0, 1, 1, bytes};
  };
  EXPECT_FALSE(is_refused(huge(3 * huge_page)));
  EXPECT_TRUE(is_refused(huge(huge_page + 1))) << "not whole huge pages";
  EXPECT_TRUE(is_refused(huge(std::uint64_t{1} << 32))) << "more than an arena";
  const auto rings = [](std::uint64_t bytes) {
    return Welcome{tag, 0, 1, std::uint64_t{1} << 32, 0, 0, 1, 1, 0, bytes};
  };
  EXPECT_FALSE(is_refused(rings(min_ring_size)));
  EXPECT_TRUE(is_refused(rings(min_ring_size + 32))) << "no power of two";
  EXPECT_TRUE(is_refused(rings(2 * largest_ring_size)));
  const auto teams = [](std::uint64_t numbers) {
    return Welcome{tag, 0, 1, std::uint64_t{1} << 32, 0, 0, 1, 1, 0, 0, numbers};
  };
  EXPECT_FALSE(is_refused(teams(NodePlan::max_teams)));
  EXPECT_TRUE(is_refused(teams(0)));
  EXPECT_TRUE(is_refused(teams(65))) << "not whole words of bits";
  EXPECT_TRUE(is_refused(teams(2 * NodePlan::max_teams)));
  EXPECT_TRUE(is_refused(Arena{max_ranks}));
  EXPECT_TRUE(is_refused(Hello{1, max_ranks}));
}

TEST(protocol, message_crosses_a_socket) {
  const SocketPair pair;
  ASSERT_TRUE(send(pair.left.get(), welcome, tag, -1));
  Result<std::optional<Received>> received = receive(pair.right.get(), tag, 5000);
  ASSERT_TRUE(received);
  ASSERT_TRUE(received->has_value());
  EXPECT_EQ(std::get<Welcome>((*received)->message).rank, 3U);
  EXPECT_FALSE((*received)->attachment);
}

TEST(protocol, descriptor_travels_with_its_message) {
  const SocketPair pair;
  Result<UniqueFd> memory = create_memfd("protocol_test", page_size());
  ASSERT_TRUE(memory);
  ASSERT_TRUE(send(pair.left.get(), Arena{1}, tag, memory->get()));
  Result<std::optional<Received>> received = receive(pair.right.get(), tag, 5000);
  ASSERT_TRUE(received);
  ASSERT_TRUE(received->has_value());
  const UniqueFd& twin = (*received)->attachment;
  ASSERT_TRUE(twin);
  struct stat sent{};
  struct stat arrived{};
  ASSERT_EQ(::fstat(memory->get(), &sent), 0);
  ASSERT_EQ(::fstat(twin.get(), &arrived), 0);
  EXPECT_EQ(sent.st_ino, arrived.st_ino);
}

TEST(protocol, closed_other_end_is_nothing_to_a_reader_and_an_error_to_a_writer) {
  SocketPair pair;
  pair.left.reset();
  const Result<std::optional<Received>> received = receive(pair.right.get(), tag, 5000);
  ASSERT_TRUE(received);
  EXPECT_FALSE((*received).has_value());
  const Result<void> sent = send(pair.right.get(), Join{1}, tag, -1);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::peer_lost);
  EXPECT_EQ(sent.error().text, "cannot send to the other end of the launch socket: Broken pipe");
}

TEST(protocol, silence_ends_the_wait) {
  const SocketPair pair;
  const Result<std::optional<Received>> received = receive(pair.right.get(), tag, 1);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, Errc::peer_lost);
}

TEST(protocol, full_socket_ends_the_wait_of_the_sender) {
  const SocketPair pair;
  Result<void> sent;
  for (int i = 0; i < 1'000'000 && sent; ++i) sent = send(pair.left.get(), Join{1}, tag, -1, 1);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::peer_lost);
}

TEST(protocol, torn_message_is_refused_on_arrival) {
  const SocketPair pair;
  const Packet packet = encode(Join{1}, tag);
  ASSERT_EQ(::send(pair.left.get(), packet.bytes, 10, 0), 10);
  const Result<std::optional<Received>> received = receive(pair.right.get(), tag, 5000);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().text, "a message between launcher and rank has 10 bytes, not 112");
}

}  // namespace
}  // namespace gondwana::protocol
