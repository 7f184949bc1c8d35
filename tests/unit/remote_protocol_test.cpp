#include "remote/protocol.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "memory/node_entry.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t tag = 0x1234'5678'9abc'def0;

// Node 1 of 3, with ranks 2 and 3 of 6.
constexpr NodePlan plan{{.ranks = 2, .first = 2, .node = 1, .nodes = 3, .job_ranks = 6},
                        std::size_t{1} << 30};

template <typename T>
std::vector<std::byte> message_of(const T& head, std::size_t payload_size = 0) {
  std::vector<std::byte> bytes(sizeof(head) + payload_size);
  std::memcpy(bytes.data(), &head, sizeof(head));
  return bytes;
}

// Whether the request is well-formed and has exactly these bytes after it.
bool is_read(const Request& request, std::size_t payload_size = 0) {
  const auto bytes = message_of(request, payload_size);
  const auto received = read_request(bytes, plan);
  return received && received->size() == bytes.size();
}

bool is_read(const Control& control, std::size_t payload_size = 0) {
  return read_control(message_of(control, payload_size), tag, plan).has_value();
}

Request store_of(std::uint8_t size, std::uint64_t offset) {
  return {.kind = RequestKind::store, .size = size, .to = 3, .offset = offset};
}

Request atomic_of(AtomicOp op, AtomicType type, std::uint64_t offset) {
  return {.kind = RequestKind::atomic, .op = op, .type = type, .to = 2, .offset = offset};
}

constexpr Batch batch{.tag = tag, .from = 5, .number = 1, .node = 1};

TEST(ofi_message, requests_come_back_from_the_bytes_of_a_batch) {
  const Request store = store_of(8, 4096);
  const Request add = atomic_of(AtomicOp::add, AtomicType::uint64, 8192);
  std::vector<std::byte> bytes = message_of(batch);
  for (const Request& each : {store, add}) {
    const auto more = message_of(each);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  const auto received = read_batch(bytes, tag, plan);
  ASSERT_TRUE(received);
  EXPECT_EQ(std::memcmp(&received->batch, &batch, sizeof(batch)), 0);
  const auto first = read_request(received->requests, plan);
  ASSERT_TRUE(first);
  EXPECT_EQ(std::memcmp(&first->request, &store, sizeof(store)), 0);
  EXPECT_TRUE(first->payload.empty());
  const auto second = read_request(received->requests.subspan(first->size()), plan);
  ASSERT_TRUE(second);
  EXPECT_EQ(std::memcmp(&second->request, &add, sizeof(add)), 0);
  EXPECT_EQ(first->size() + second->size(), received->requests.size());
}

TEST(ofi_message, batches_are_of_ranks_of_the_job_to_this_node) {
  const auto is_batch = [](const Batch& head) {
    return read_batch(message_of(head), tag, plan).has_value();
  };
  EXPECT_TRUE(is_batch(batch));
  EXPECT_FALSE(is_batch({.tag = tag + 1, .from = 5, .number = 1, .node = 1}));
  EXPECT_FALSE(is_batch({.tag = tag, .from = 5, .number = 1, .node = 2})) << "another node";
  EXPECT_FALSE(is_batch({.tag = tag, .from = agent_number(1), .number = 1, .node = 1}))
      << "an agent";
  EXPECT_FALSE(is_batch({.tag = tag, .kind = MessageKind::hello, .from = 5, .node = 1}));
  const auto bytes = message_of(batch);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_batch(std::span(bytes).first(size), tag, plan)) << size;
}

TEST(ofi_message, hello_has_an_address_behind_it) {
  const Control hello{.tag = tag, .kind = MessageKind::hello, .from = 0, .size = 16};
  const auto bytes = message_of(hello, 16);
  const auto received = read_control(bytes, tag, plan);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->payload.size(), 16U);
  EXPECT_FALSE(is_read(hello, 15)) << "cut short";
  EXPECT_FALSE(is_read(hello, 17)) << "too long";
  EXPECT_FALSE(is_read(Control{.tag = tag, .kind = MessageKind::hello})) << "no address";
  EXPECT_FALSE(is_read(Control{.tag = tag + 1, .kind = MessageKind::hello, .size = 16}, 16));
  const std::uint64_t longest = NodeInfo::longest_address;
  EXPECT_TRUE(is_read(Control{.tag = tag, .kind = MessageKind::hello, .size = longest}, longest));
  EXPECT_FALSE(
      is_read(Control{.tag = tag, .kind = MessageKind::hello, .size = longest + 1}, longest + 1))
      << "longer than any address";
}

TEST(ofi_message, requests_that_are_cut_short_are_refused) {
  const auto bytes = message_of(store_of(8, 4096));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_request(std::span(bytes).first(size), plan)) << size;
}

TEST(ofi_message, only_ranks_of_the_node_are_written_to) {
  Request request = store_of(8, 4096);
  for (const std::uint32_t rank : {0U, 1U, 4U, 5U, 6U, ~0U}) {
    request.to = rank;
    EXPECT_FALSE(is_read(request)) << rank;
  }
  request.to = 2;
  EXPECT_TRUE(is_read(request));
}

TEST(ofi_message, words_lie_in_the_arena) {
  const std::uint64_t end = plan.arena_size();
  for (const std::uint8_t size : std::array<std::uint8_t, 4>{1, 2, 4, 8}) {
    EXPECT_TRUE(is_read(store_of(size, end - size))) << int{size};
    EXPECT_FALSE(is_read(store_of(size, end))) << int{size};
    EXPECT_FALSE(is_read(store_of(size, ~std::uint64_t{0}))) << int{size};
    EXPECT_FALSE(is_read(store_of(size, ~std::uint64_t{0} - size + 1))) << int{size};
  }
  EXPECT_FALSE(is_read(store_of(8, 4100))) << "not aligned";
  EXPECT_FALSE(is_read(store_of(3, 4096)));
  EXPECT_FALSE(is_read(store_of(0, 4096)));
  EXPECT_FALSE(is_read(store_of(255, 4096)));
  EXPECT_FALSE(is_read(store_of(8, 4096), 1)) << "a byte too many";
}

// The heap checks the size and the offset itself.
TEST(ofi_message, blocks_belong_to_the_arena_of_a_rank_of_the_node) {
  for (const RequestKind kind : {RequestKind::allocate, RequestKind::release}) {
    Request request{.kind = kind, .to = 3, .offset = ~std::uint64_t{0}, .operand = 100};
    EXPECT_TRUE(is_read(request));
    EXPECT_FALSE(is_read(request, 1)) << "a byte too many";
    request.to = 1;
    EXPECT_FALSE(is_read(request)) << "of another node";
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
    request.to = target_of({Rank(3), SpaceId(1)});
    EXPECT_FALSE(is_read(request)) << "not in the arena";
  }
}

TEST(ofi_message, writes_have_their_bytes_behind_them) {
  const std::uint64_t end = plan.arena_size();
  const auto write_of = [](std::uint64_t size, std::uint64_t offset) {
    return Request{.kind = RequestKind::write, .to = 3, .offset = offset, .operand = size};
  };
  EXPECT_TRUE(is_read(write_of(13, 4097), 13)) << "anywhere";
  EXPECT_TRUE(is_read(write_of(13, end - 13), 13));
  EXPECT_FALSE(is_read(write_of(13, end - 12), 13));
  EXPECT_FALSE(is_read(write_of(13, ~std::uint64_t{0}), 13));
  EXPECT_FALSE(is_read(write_of(13, ~std::uint64_t{0} - 12), 13));
  EXPECT_FALSE(is_read(write_of(13, 4096), 12)) << "cut short";
  EXPECT_FALSE(is_read(write_of(13, 4096), 14)) << "too long";
  EXPECT_FALSE(is_read(write_of(0, 4096)));
  EXPECT_TRUE(is_read(write_of(max_write, 4096), max_write));
  EXPECT_FALSE(is_read(write_of(max_write + 1, 4096), max_write + 1));
  Request elsewhere = write_of(13, 4096);
  elsewhere.to = 4;
  EXPECT_FALSE(is_read(elsewhere, 13)) << "of another node";
}

TEST(ofi_message, reads_lie_in_the_arena) {
  const std::uint64_t end = plan.arena_size();
  const auto is_read_of = [](std::uint64_t size, std::uint64_t offset,
                             std::size_t payload_size = 0) {
    return is_read({.kind = RequestKind::read, .to = 3, .offset = offset, .operand = size},
                   payload_size);
  };
  EXPECT_TRUE(is_read_of(13, end - 13));
  EXPECT_FALSE(is_read_of(13, end - 12));
  EXPECT_FALSE(is_read_of(13, ~std::uint64_t{0}));
  EXPECT_FALSE(is_read_of(0, 4096));
  EXPECT_TRUE(is_read_of(max_write, 4096));
  EXPECT_FALSE(is_read_of(max_write + 1, 4096));
  EXPECT_FALSE(is_read_of(13, 4096, 1)) << "a byte too many";
}

Request packed_of(RequestKind kind, std::size_t runs) {
  return {.kind = kind, .to = 3, .operand = runs};
}

std::vector<std::byte> message_of(RequestKind kind, const std::vector<PackedRun>& runs,
                                  std::size_t payload_size) {
  std::vector<std::byte> bytes = message_of(packed_of(kind, runs.size()));
  const Bytes told = std::as_bytes(std::span(runs));
  bytes.insert(bytes.end(), told.begin(), told.end());
  bytes.resize(bytes.size() + payload_size);
  return bytes;
}

bool is_packed(RequestKind kind, const std::vector<PackedRun>& runs, std::size_t payload_size) {
  const auto bytes = message_of(kind, runs, payload_size);
  const auto received = read_request(bytes, plan);
  return received && received->size() == bytes.size();
}

bool is_put_packed(const std::vector<PackedRun>& runs, std::size_t payload_size) {
  return is_packed(RequestKind::put_packed, runs, payload_size);
}

bool is_get_packed(const std::vector<PackedRun>& runs, std::size_t payload_size = 0) {
  return is_packed(RequestKind::get_packed, runs, payload_size);
}

TEST(ofi_message, all_pieces_of_a_row_lie_in_the_arena) {
  const std::uint64_t end = plan.arena_size();
  EXPECT_TRUE(is_get_packed({{4096, 100, 8, 3}}));
  EXPECT_FALSE(is_get_packed({{4096, 100, 0, 3}}));
  EXPECT_FALSE(is_get_packed({{4096, 100, 8, 0}}));
  EXPECT_TRUE(is_get_packed({{end - 208, 100, 8, 3}}));
  EXPECT_FALSE(is_get_packed({{end - 207, 100, 8, 3}})) << "the last one is cut";
  EXPECT_TRUE(is_get_packed({{200, -100, 8, 3}}));
  EXPECT_FALSE(is_get_packed({{199, -100, 8, 3}})) << "before the arena";
  EXPECT_FALSE(is_get_packed({{end - 7, -100, 8, 2}}));
  EXPECT_FALSE(is_get_packed({{~std::uint64_t{7}, 100, 8, 2}}));
  const auto arena = static_cast<std::int64_t>(end);
  for (const std::int64_t far : {arena + 1, -arena - 1, std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()})
    EXPECT_FALSE(is_get_packed({{4096, far, 1, 1}})) << far;
  EXPECT_TRUE(is_get_packed({{4096, 0, max_write, 1}}));
  EXPECT_FALSE(is_get_packed({{4096, 0, max_write + 1, 1}}));
  EXPECT_FALSE(is_get_packed({{4096, 0, 1, max_write + 1}}));
  EXPECT_FALSE(is_get_packed({{4096, 0, 1U << 31, 2}})) << "as much as nothing";
}

TEST(ofi_message, bytes_of_a_spread_are_those_of_its_rows) {
  EXPECT_TRUE(is_put_packed({{4096, 100, 8, 3}}, 24));
  EXPECT_FALSE(is_put_packed({{4096, 100, 8, 3}}, 23));
  EXPECT_FALSE(is_put_packed({{4096, 100, 8, 3}}, 25));
  EXPECT_TRUE(is_put_packed({{4096, 100, 8, 3}, {8192, 0, 100, 1}}, 124));
  EXPECT_FALSE(is_put_packed({{4096, 100, 8, 3}, {~std::uint64_t{0}, 0, 100, 1}}, 124));
  EXPECT_FALSE(is_get_packed({{4096, 100, 8, 3}}, 24)) << "a get brings no bytes";
  EXPECT_TRUE(is_put_packed({{0, 0, max_write / 2, 1}, {0, 0, max_write / 2, 1}}, max_write));
  EXPECT_FALSE(is_get_packed({{0, 0, max_write, 1}, {0, 0, 1, 1}})) << "too many bytes";
}

TEST(ofi_message, rows_are_behind_the_request) {
  EXPECT_FALSE(is_get_packed({}));
  EXPECT_TRUE(is_get_packed(std::vector<PackedRun>(max_runs, PackedRun{4096, 8, 8, 1})));
  EXPECT_FALSE(is_get_packed(std::vector<PackedRun>(max_runs + 1, PackedRun{4096, 8, 8, 1})));
  EXPECT_FALSE(is_read(packed_of(RequestKind::get_packed, 2), 2 * sizeof(PackedRun) - 1))
      << "cut short";
  EXPECT_FALSE(
      is_read(packed_of(RequestKind::get_packed, ~std::size_t{0} / sizeof(PackedRun) + 1), 8));
  const auto bytes = message_of(RequestKind::put_packed, {{1, 0, 1, 1}, {9, -3, 2, 2}}, 5);
  const auto received = read_request(bytes, plan);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->runs(), 2U);
  EXPECT_EQ(received->run(1).offset, 9U);
  EXPECT_EQ(received->run(1).stride, -3);
  EXPECT_EQ(received->packed().size(), 5U);
}

// `packed`: where the bytes are in the arena.
bool is_pass(RequestKind kind, SpaceId space, std::uint64_t packed,
             const std::vector<PackedRun>& runs) {
  auto bytes = message_of(kind, runs, 0);
  const std::uint32_t to = target_of({plan.node_ranks().front(), space});
  std::memcpy(bytes.data() + offsetof(Request, to), &to, sizeof(to));
  std::memcpy(bytes.data() + offsetof(Request, offset), &packed, sizeof(packed));
  const auto received = read_request(bytes, plan);
  return received && received->size() == bytes.size();
}

TEST(ofi_message, what_passes_to_a_device_lies_in_the_arena) {
  const std::uint64_t end = plan.arena_size();
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
  const auto device = SpaceId(1);
  for (const RequestKind kind : {RequestKind::pass_to_device, RequestKind::pass_to_arena}) {
    EXPECT_TRUE(is_pass(kind, device, 0, {{end, 0, longest_pass, 1}}));
    EXPECT_FALSE(is_pass(kind, device, 0, {{end, 0, longest_pass, 1}, {0, 0, 1, 1}}));
    EXPECT_TRUE(is_pass(kind, device, end - 24, {{4096, 100, 8, 3}}));
    EXPECT_FALSE(is_pass(kind, device, end - 23, {{4096, 100, 8, 3}})) << "the last one is cut";
    EXPECT_FALSE(is_pass(kind, device, ~std::uint64_t{0}, {{4096, 100, 8, 3}}));
    EXPECT_FALSE(is_pass(kind, device, 0, {}));
    EXPECT_FALSE(is_pass(kind, SpaceId::arena, 0, {{4096, 100, 8, 3}})) << "no device";
  }
}

bool is_accumulate(AccumulateType type, const std::vector<PackedRun>& runs,
                   std::size_t payload_size) {
  auto bytes = message_of(RequestKind::accumulate, runs, payload_size);
  bytes[offsetof(Request, size)] = static_cast<std::byte>(type);
  const auto received = read_request(bytes, plan);
  return received && received->size() == bytes.size();
}

TEST(ofi_message, accumulates_have_whole_elements) {
  EXPECT_TRUE(is_accumulate(AccumulateType::float64, {{4096, 100, 8, 3}}, 24));
  EXPECT_FALSE(is_accumulate(AccumulateType::float64, {{4096, 100, 8, 3}}, 23)) << "cut short";
  EXPECT_FALSE(is_accumulate(AccumulateType::float64, {{4096, 100, 12, 2}}, 24));
  EXPECT_TRUE(is_accumulate(AccumulateType::float32, {{4096, 100, 12, 2}}, 24));
  EXPECT_FALSE(is_accumulate(AccumulateType::complex128, {{4096, 100, 24, 1}}, 24));
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): there is no such type
  EXPECT_FALSE(is_accumulate(static_cast<AccumulateType>(6), {{4096, 100, 8, 3}}, 24));
  EXPECT_FALSE(is_accumulate(AccumulateType::float64, {{plan.arena_size(), 0, 8, 1}}, 8));
}

// The network may deliver any number.
template <typename Enum>
Enum any(unsigned number) {
  Enum value{};
  std::memcpy(&value, &number, sizeof(value));
  return value;
}

TEST(ofi_message, operations_are_those_of_the_table) {
  EXPECT_TRUE(is_read(atomic_of(AtomicOp::add, AtomicType::float64, 4096)));
  EXPECT_FALSE(is_read(atomic_of(AtomicOp::bit_and, AtomicType::float64, 4096)));
  EXPECT_FALSE(is_read(atomic_of(any<AtomicOp>(7), AtomicType::uint64, 4096)));
  EXPECT_FALSE(is_read(atomic_of(AtomicOp::add, any<AtomicType>(6), 4096)));
  EXPECT_TRUE(is_read(atomic_of(AtomicOp::add, AtomicType::uint32, 4100)));
  EXPECT_FALSE(is_read(atomic_of(AtomicOp::add, AtomicType::uint64, 4100))) << "not aligned";
  EXPECT_FALSE(is_read(atomic_of(AtomicOp::fetch, AtomicType::uint64, plan.arena_size())));
  Request unknown = store_of(8, 4096);
  unknown.kind = any<RequestKind>(17);
  EXPECT_FALSE(is_read(unknown));
  const Request exchange = atomic_of(AtomicOp::compare_swap, AtomicType::uint64, 4096);
  EXPECT_TRUE(is_read(exchange, 8)) << "the expected value";
  EXPECT_FALSE(is_read(exchange, 7));
}

TEST(ofi_message, beats_are_of_agents) {
  Control beat{.tag = tag, .kind = MessageKind::beat, .from = agent_number(2)};
  EXPECT_TRUE(is_read(beat));
  beat.from = 5;
  EXPECT_FALSE(is_read(beat)) << "a rank";
  beat.from = agent_number(3);
  EXPECT_FALSE(is_read(beat)) << "node 3 of 3";
  beat.from = plan.job_ranks;
  EXPECT_FALSE(is_read(beat)) << "a rank that the job does not have";
}

bool is_answer(const Reply& reply, std::size_t payload_size) {
  const auto bytes = message_of(reply, payload_size);
  const auto received = read_reply(bytes, tag, 5, 3);
  return received && received->results.size() == payload_size;
}

TEST(ofi_message, answers_come_from_nodes_of_the_job) {
  const Reply reply{.tag = tag, .to = 5, .node = 2, .number = 9};
  const Bytes bytes = std::as_bytes(std::span(&reply, 1));
  ASSERT_TRUE(read_reply(bytes, tag, 5, 3));
  EXPECT_EQ(read_reply(bytes, tag, 5, 3)->reply.number, 9U);
  EXPECT_FALSE(read_reply(bytes, tag, 5, 2)) << "node 2 of 2";
  EXPECT_FALSE(read_reply(bytes, tag, 4, 3)) << "of another rank";
  EXPECT_FALSE(read_reply(bytes, tag + 1, 5, 3));
  EXPECT_FALSE(read_reply(bytes.first(sizeof(reply) - 1), tag, 5, 3));
}

TEST(ofi_message, answers_have_as_many_bytes_behind_them_as_they_say) {
  const Reply reply{.tag = tag, .to = 5, .number = 1, .size = 100};
  EXPECT_TRUE(is_answer(reply, 100));
  EXPECT_FALSE(is_answer(reply, 99));
  EXPECT_FALSE(is_answer(reply, 101));
  EXPECT_TRUE(is_answer({.tag = tag, .to = 5, .number = 1}, 0));
  EXPECT_FALSE(is_answer({.tag = tag, .to = 5, .number = 1}, 1));
  EXPECT_FALSE(is_answer({.tag = tag, .kind = MessageKind::message, .to = 5, .number = 1}, 0));
}

TEST(ofi_message, messages_in_batches_have_their_bytes_behind_them) {
  const auto message_in_batch = [](std::uint64_t size, std::uint64_t number) {
    return Request{.kind = RequestKind::message, .to = 3, .offset = number, .operand = size};
  };
  EXPECT_TRUE(is_read(message_in_batch(13, 7), 13));
  EXPECT_FALSE(is_read(message_in_batch(13, 7), 12)) << "cut short";
  EXPECT_FALSE(is_read(message_in_batch(13, 7), 14)) << "too long";
  EXPECT_TRUE(is_read(message_in_batch(0, 7))) << "with nothing in it";
  EXPECT_TRUE(is_read(message_in_batch(longest_gathered, 0xffff'ffff), longest_gathered));
  EXPECT_FALSE(is_read(message_in_batch(longest_gathered + 1, 7), longest_gathered + 1));
  EXPECT_FALSE(is_read(message_in_batch(13, 0x1'0000'0000), 13)) << "no number of a message";
  Request elsewhere = message_in_batch(13, 7);
  elsewhere.to = 4;
  EXPECT_FALSE(is_read(elsewhere, 13)) << "of another node";
}

bool is_message(const MessageHeader& head, std::size_t payload_size = 0) {
  return read_message(message_of(head, payload_size), tag, 2, plan).has_value();
}

TEST(ofi_message, mail_goes_from_a_rank_of_the_job_to_this_one) {
  const MessageHeader head{.tag = tag, .to = 2, .from = 5, .number = 7};
  const auto bytes = message_of(head, 9);
  const auto message = read_message(bytes, tag, 2, plan);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->from, Rank(5));
  EXPECT_EQ(message->number, 7U);
  EXPECT_EQ(message->bytes.data(), bytes.data() + sizeof(head));
  EXPECT_EQ(message->bytes.size(), 9U);
  EXPECT_TRUE(is_message(head)) << "with nothing in it";
  EXPECT_TRUE(is_message(head, longest_message));
  EXPECT_FALSE(is_message(head, longest_message + 1));
  EXPECT_FALSE(read_message(bytes, tag + 1, 2, plan));
  EXPECT_FALSE(read_message(bytes, tag, 3, plan)) << "of another rank";
  EXPECT_FALSE(is_message({.tag = tag, .to = 2, .from = 6})) << "rank 6 of 6";
  EXPECT_FALSE(is_message({.tag = tag, .kind = any<MessageKind>(0x99), .to = 2, .from = 5}));
  for (std::size_t size = 0; size < sizeof(MessageHeader); ++size)
    EXPECT_FALSE(read_message(Bytes(bytes).first(size), tag, 2, plan)) << size;
}

TEST(ofi_message, mail_is_of_one_incarnation_to_another) {
  const std::uint32_t me = number_of(2, 7);
  const MessageHeader head{.tag = tag, .to = me, .from = number_of(5, 2047), .number = 1};
  const Bytes bytes = std::as_bytes(std::span(&head, 1));
  const auto message = read_message(bytes, tag, me, plan);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->from, Rank(5));
  EXPECT_EQ(message->incarnation, 2047U);
  EXPECT_FALSE(read_message(bytes, tag, 2, plan));
  EXPECT_EQ(addressee(bytes, tag), 2U);
  const Reply reply{.tag = tag, .to = number_of(5, 1), .node = 2, .number = 9};
  const Bytes answer = std::as_bytes(std::span(&reply, 1));
  EXPECT_TRUE(read_reply(answer, tag, number_of(5, 1), 3));
  EXPECT_FALSE(read_reply(answer, tag, 5, 3));
  EXPECT_EQ(process_in(number_of(agent_number(3), 1)), agent_number(3));
}

TEST(ofi_message, mail_as_long_as_an_answer_is_none) {
  const MessageHeader head{.tag = tag, .to = 2, .from = 1, .number = 1};
  const auto message = message_of(head, sizeof(Reply) - sizeof(MessageHeader));
  EXPECT_FALSE(read_reply(message, tag, 2, 3));
  const Reply reply{.tag = tag, .to = 2, .node = 2, .number = 2};
  EXPECT_FALSE(read_message(std::as_bytes(std::span(&reply, 1)), tag, 2, plan));
}

}  // namespace
}  // namespace gondwana::remote
