// Messages from rank to rank, over every transport. One thread drives all ranks in turn.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "remote/client/client.hpp"
#include "remote/transport.hpp"
#include "support/agents.hpp"
#include "support/faulty.hpp"
#include "support/loopback/loopback.hpp"

namespace gondwana::test {
namespace {

constexpr std::uint32_t nodes = 2;
constexpr std::uint32_t ranks = 4;

Nodes make_nodes() {
  Nodes made;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t each = ranks / nodes;
    Result<std::shared_ptr<NodeMemory>> memory =
        NodeMemory::create({each, node * each, node, nodes, ranks});
    GONDWANA_ASSERT(static_cast<bool>(memory), node);
    made.push_back(*std::move(memory));
  }
  return made;
}

struct ReceivedMessage {
  Rank from;
  std::vector<std::byte> bytes;
};

// A job in which every rank has a wire, and the messages that each received.
class Post {
 public:
  using MakeWire = std::function<Wire(const Nodes&, Rank)>;

  Post(const Nodes& memory, const MakeWire& make_wire) : received_(ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      wires_.push_back(make_wire(memory, Rank(rank)));
  }

  Wire& wire(std::uint32_t rank) { return wires_[rank]; }
  const std::vector<ReceivedMessage>& received(std::uint32_t rank) const { return received_[rank]; }

  void listen(std::uint32_t rank) {
    wires_[rank]->listen([this, rank](Rank from, Bytes message) {
      received_[rank].push_back({from, {message.begin(), message.end()}});
    });
  }
  void listen() {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) listen(rank);
  }

  void progress() {
    for (Wire& wire : wires_) wire->progress();
  }
  // False: timeout.
  bool progress_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      progress();
    }
    return false;
  }

  void send(std::uint32_t from, std::uint32_t to, Bytes head, Bytes body,
            Departure departure = Departure::at_once) {
    const bool sent = progress_until([&] {
      const Result<Posted> posted = wires_[from]->send_message(Rank(to), head, body, departure);
      EXPECT_TRUE(posted) << posted.error().text;
      return !posted || *posted == Posted::accepted;
    });
    ASSERT_TRUE(sent) << from << " to " << to;
  }
  bool wait_for(std::uint32_t rank, std::size_t letters) {
    return progress_until([&] { return received_[rank].size() >= letters; });
  }

 private:
  std::vector<std::vector<ReceivedMessage>> received_;
  std::vector<Wire> wires_;
};

// The bytes of a message: its number among those of its pair, then bytes that depend on it.
std::vector<std::byte> text_of(std::uint32_t from, std::uint32_t to, std::uint32_t number,
                               std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] =
        static_cast<std::byte>(i * 31 + number * std::size_t{7} + from * std::size_t{3} + to);
  return bytes;
}

Post over_loopback() {
  const auto boxes = std::make_shared<MessageQueues>(ranks);
  return Post(make_nodes(), [&](const Nodes& memory, Rank me) {
    return Wire(std::make_unique<Loopback>(Loopback::Setup{memory, me, boxes}));
  });
}

Post over_faulty() {
  const auto boxes = std::make_shared<MessageQueues>(ranks);
  return Post(make_nodes(), [&](const Nodes& memory, Rank me) {
    auto loopback = std::make_unique<Loopback>(Loopback::Setup{memory, me, boxes});
    return Wire(std::make_unique<Faulty>(std::move(loopback), index(me) + 1));
  });
}

std::unique_ptr<RemoteClient> open_ofi(const Nodes& memory, Rank me, std::uint64_t tag = job_tag,
                                       bool through_agent = false) {
  const auto& home = memory[index(me) * nodes / ranks];
  Result<std::unique_ptr<RemoteClient>> ofi = RemoteClient::open({.memory = home,
                                                                  .me = me,
                                                                  .job_tag = tag,
                                                                  .settings = loopback_network(),
                                                                  .through_agent = through_agent});
  GONDWANA_ASSERT(static_cast<bool>(ofi), index(me));
  return *std::move(ofi);
}

class Mail : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string over = GetParam();
    if (over == "loopback") post_.emplace(over_loopback());
    if (over == "faulty") post_.emplace(over_faulty());
    if (over == "ofi") open_network(false);
    if (over == "agents") open_network(true);
  }

  Post& post() { return *post_; }
  std::size_t longest() { return post().wire(0).limits().longest_message; }

 private:
  void open_network(bool through_agent) {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    memory_ = make_nodes();
    agents_ = start_agents(memory_, {.carries = through_agent});
    post_.emplace(memory_, [through_agent](const Nodes& memory, Rank me) {
      return Wire(open_ofi(memory, me, job_tag, through_agent));
    });
  }

  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::optional<Post> post_;
};

INSTANTIATE_TEST_SUITE_P(over, Mail, testing::Values("loopback", "faulty", "ofi", "agents"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST_P(Mail, head_and_body_arrive_as_one) {
  post().listen();
  const auto head = text_of(0, 3, 1, 5);
  const auto body = text_of(0, 3, 2, 1000);
  post().send(0, 3, head, body);
  ASSERT_TRUE(post().wait_for(3, 1));
  const ReceivedMessage& message = post().received(3).front();
  EXPECT_EQ(message.from, Rank(0));
  auto both = head;
  both.insert(both.end(), body.begin(), body.end());
  EXPECT_EQ(message.bytes, both);
}

TEST_P(Mail, may_be_empty_and_as_long_as_it_says) {
  post().listen();
  ASSERT_GE(longest(), 64U * 1024);
  const auto text = text_of(2, 1, 1, longest());
  post().send(2, 1, {}, {});
  post().send(2, 1, text, {});
  post().send(2, 1, Bytes(text).first(24), Bytes(text).subspan(24));
  ASSERT_TRUE(post().wait_for(1, 3));
  EXPECT_TRUE(post().received(1)[0].bytes.empty());
  EXPECT_EQ(post().received(1)[1].bytes, text);
  EXPECT_EQ(post().received(1)[2].bytes, text);
  if (post().wire(2)->name() == "faulty") return;  // it finds out later
  const std::vector<std::byte> too_long(longest() + 1);
  EXPECT_FALSE(post().wire(2)->send_message(Rank(1), too_long, {}, Departure::at_once));
  EXPECT_FALSE(post().wire(2)->send_message(Rank(ranks), {}, {}, Departure::at_once))
      << "no such rank";
}

TEST_P(Mail, what_comes_before_anybody_listens_is_kept) {
  post().send(0, 2, text_of(0, 2, 1, 10), {});
  post().send(0, 2, text_of(0, 2, 2, 3000), {});
  for (int i = 0; i < 1000; ++i) post().progress();
  post().listen(2);
  post().send(0, 2, text_of(0, 2, 3, 30), {});
  ASSERT_TRUE(post().wait_for(2, 3));
  EXPECT_EQ(post().received(2)[0].bytes, text_of(0, 2, 1, 10));
  EXPECT_EQ(post().received(2)[1].bytes, text_of(0, 2, 2, 3000));
  EXPECT_EQ(post().received(2)[2].bytes, text_of(0, 2, 3, 30));
}

// Small and large messages take different paths through a network.
TEST_P(Mail, of_each_pair_arrives_once_and_in_order) {
  post().listen();
  constexpr std::uint32_t each = 40;
  std::mt19937 random(1);
  const auto size_of = [&] { return random() % 4 == 0 ? random() % longest() : random() % 300; };
  std::vector<std::vector<ReceivedMessage>> sent(std::size_t{ranks} * ranks);
  for (std::uint32_t number = 0; number < each; ++number) {
    for (std::uint32_t pair = 0; pair < ranks * ranks; ++pair) {
      const std::uint32_t from = pair / ranks;
      const std::uint32_t to = pair % ranks;
      auto text = text_of(from, to, number, size_of());
      post().send(from, to, Bytes(text).first(text.size() / 2),
                  Bytes(text).subspan(text.size() / 2),
                  random() % 3 == 0 ? Departure::at_once : Departure::may_wait);
      sent[pair].push_back({Rank(from), std::move(text)});
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    ASSERT_TRUE(post().wait_for(rank, std::size_t{each} * ranks)) << rank;
  for (int i = 0; i < 1000; ++i) post().progress();
  for (std::uint32_t to = 0; to < ranks; ++to) {
    EXPECT_EQ(post().received(to).size(), std::size_t{each} * ranks) << to;
    std::vector<std::size_t> next(ranks);
    for (const ReceivedMessage& message : post().received(to)) {
      const std::uint32_t from = index(message.from);
      ASSERT_LT(next[from], each);
      ASSERT_EQ(message.bytes, sent[from * ranks + to][next[from]++].bytes) << from << " to " << to;
    }
  }
}

TEST_P(Mail, a_receiver_may_answer) {
  post().listen();
  bool answered = false;
  // A wire without a connection yet is busy: the next message is answered.
  post().wire(3)->listen([&](Rank from, Bytes message) {
    if (answered) return;
    const Result<Posted> posted =
        post().wire(3)->send_message(from, message, {}, Departure::at_once);
    answered = posted && *posted == Posted::accepted;
  });
  const auto text = text_of(1, 3, 1, 64);
  ASSERT_TRUE(post().progress_until([&] {
    const Result<Posted> posted =
        post().wire(1)->send_message(Rank(3), text, {}, Departure::at_once);
    return !posted || answered;
  }));
  ASSERT_TRUE(post().wait_for(1, 1));
  EXPECT_EQ(post().received(1).front().bytes, text);
}

TEST_P(Mail, a_sleeper_wakes_and_all_of_it_departs) {
  post().listen();
  post().send(0, 3, text_of(0, 3, 1, 20), {});
  ASSERT_TRUE(post().progress_until([&] { return post().wire(0)->departed(); }));
  ASSERT_TRUE(post().progress_until([&] {
    if (post().wire(3)->may_sleep()) post().wire(3)->sleep(std::chrono::microseconds(1000));
    return !post().received(3).empty();
  }));
}

// Whether the message is accepted within 100 ms.
bool send(RemoteClient& sender, Rank to, Bytes message) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (std::chrono::steady_clock::now() < end) {
    const Result<Posted> posted = sender.send_message(to, message, {}, Departure::at_once);
    EXPECT_TRUE(posted) << posted.error().text;
    if (!posted || *posted == Posted::accepted) return true;
    sender.progress();
  }
  return false;
}

bool receives(RemoteClient& sender, RemoteClient& receiver, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    sender.progress();
    receiver.progress();
  }
  return false;
}

TEST(ofi_mail, goes_to_a_rank_that_opens_later) {
  if (!has_network()) GTEST_SKIP() << "no libfabric here";
  const Nodes memory = make_nodes();
  const auto agents = start_agents(memory);
  const auto text = text_of(0, 3, 1, 100);
  const auto sender = open_ofi(memory, Rank(0));
  EXPECT_FALSE(send(*sender, Rank(3), text));
  EXPECT_FALSE(send(*sender, Rank(1), text)) << "of the same node";
  for (const std::uint32_t to : {1U, 3U}) {
    const auto receiver = open_ofi(memory, Rank(to));
    std::vector<std::byte> received;
    receiver->listen([&](Rank, Bytes message) { received.assign(message.begin(), message.end()); });
    EXPECT_TRUE(receives(*sender, *receiver, [&] {
      const Result<Posted> posted = sender->send_message(Rank(to), text, {}, Departure::at_once);
      return posted && *posted == Posted::accepted;
    }));
    EXPECT_TRUE(receives(*sender, *receiver, [&] { return !received.empty(); }));
    EXPECT_EQ(received, text);
  }
}

TEST(ofi_mail, of_another_job_is_refused) {
  if (!has_network()) GTEST_SKIP() << "no libfabric here";
  const Nodes memory = make_nodes();
  const auto agents = start_agents(memory);
  const auto receiver = open_ofi(memory, Rank(0));
  const auto stranger = open_ofi(memory, Rank(1), job_tag + 1);
  receiver->listen([](Rank, Bytes) { ADD_FAILURE() << "of another job"; });
  const auto text = text_of(1, 0, 1, 100);
  EXPECT_TRUE(receives(*stranger, *receiver, [&] {
    const Result<Posted> posted = stranger->send_message(Rank(0), text, {}, Departure::at_once);
    return posted && *posted == Posted::accepted;
  }));
  EXPECT_TRUE(receives(*stranger, *receiver, [&] { return receiver->arrivals().refused() > 0; }));
}

// When the kernel's buffers are full, messages stay in the provider of the sender.
TEST(ofi_mail, that_has_departed_arrives_without_its_sender) {
  if (!has_network()) GTEST_SKIP() << "no libfabric here";
  const Nodes memory = make_nodes();
  const auto agents = start_agents(memory);
  const auto sender = open_ofi(memory, Rank(0));
  const auto receiver = open_ofi(memory, Rank(3));
  std::size_t received = 0;
  receiver->listen([&](Rank, Bytes) { ++received; });
  const auto text = text_of(0, 3, 1, 16);
  std::size_t sent = 0;
  const auto send_one = [&] {
    const Result<Posted> posted = sender->send_message(Rank(3), text, {}, Departure::at_once);
    EXPECT_TRUE(posted);
    const bool accepted = posted && *posted == Posted::accepted;
    if (accepted) ++sent;
    return accepted;
  };
  ASSERT_TRUE(receives(*sender, *receiver, send_one));
  ASSERT_TRUE(receives(*sender, *receiver, [&] { return received == 1; }));
  for (int i = 0; i < 100'000; ++i) send_one();
  ASSERT_TRUE(receives(*sender, *receiver, [&] { return sender->departed(); }));
  EXPECT_TRUE(receives(*receiver, *receiver, [&] { return received == sent; }))
      << received << " of " << sent;
}

}  // namespace
}  // namespace gondwana::test
