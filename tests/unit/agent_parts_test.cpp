// The decisions of a node agent's parts, without a process, a socket or a clock.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "remote/agent/answers.hpp"
#include "remote/agent/batch_turns.hpp"
#include "remote/agent/carrier.hpp"
#include "remote/agent/executor.hpp"
#include "remote/agent/job_watch.hpp"
#include "remote/agent/left_batches.hpp"
#include "remote/agent/node_watch.hpp"
#include "remote/agent/outbox.hpp"
#include "remote/agent/passed_messages.hpp"
#include "remote/agent/served_files.hpp"
#include "support/recorded_endpoint.hpp"

namespace gondwana::remote {
namespace {

using network::Peer;
using test::RecordedEndpoint;

constexpr std::uint64_t tag = 0x7e57;
constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t cell = NodePlan::system_size;  // offset of a word
constexpr std::uint32_t far = 1;                       // a rank of another node

template <typename T>
std::vector<std::byte> copy_of(const T& message) {
  const Bytes bytes = bytes_of(message);
  return {bytes.begin(), bytes.end()};
}

void append(std::vector<std::byte>& to, Bytes bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Node 0 of three, with one rank each. The endpoint keeps what is sent.
class AgentParts : public testing::Test {
 protected:
  AgentParts()
      : memory_(*NodeMemory::create({1, 0, 0, 3, 3})),
        endpoint_(new RecordedEndpoint),
        outbox_(memory_, tag, std::unique_ptr<network::Endpoint>(endpoint_)),
        executor_(*memory_, kinds_),
        answers_(outbox_, executor_, tag, 0),
        turns_(*memory_, tag, executor_, answers_,
               [this](std::uint32_t rank, const std::string& why) {
                 refused_ = std::to_string(rank) + ": " + why;
               }) {
    for (std::uint32_t node = 1; node < 3; ++node) {
      const std::array<std::byte, 1> address{std::byte(10 + node)};
      memory_->nodes().write(node, NodeContact(NodeInfo{}, address, {}));
      memory_->entry(node).state.store(NodeState::known);
    }
  }

  static constexpr Peer far_peer{5};

  void meet_far(std::uint32_t incarnation = 0) {
    const std::array<std::byte, 1> address{std::byte(5)};
    ASSERT_TRUE(outbox_.meet(far, address));
    turns_.meet(far, incarnation);
    answers_.meet(far, incarnation);
  }
  // A batch of the far rank: a store of the value, or an atomic that fetches and adds it.
  static std::vector<std::byte> batch(std::uint32_t number, std::uint64_t value,
                                      RequestKind kind = RequestKind::store,
                                      std::uint32_t heeded = 0) {
    std::vector<std::byte> bytes =
        copy_of(Batch{.tag = tag, .from = far, .number = number, .heeded = heeded});
    append(bytes,
           bytes_of(Request{
               .kind = kind, .op = AtomicOp::add, .size = 8, .offset = cell, .operand = value}));
    return bytes;
  }
  void take(const std::vector<std::byte>& bytes) {
    const auto received = read_batch(bytes, tag, memory_->plan());
    ASSERT_TRUE(received);
    turns_.take(*received, bytes);
  }
  std::uint64_t value() const {
    return *reinterpret_cast<const std::uint64_t*>(memory_->window(Rank(0)) + cell);
  }
  // The next reply that was sent.
  std::optional<Reply> reply() {
    if (endpoint_->sent.empty()) return std::nullopt;
    return read<Reply>(endpoint_->take().bytes);
  }
  // The next message to the agent of another node.
  std::optional<Control> control() {
    if (endpoint_->sent.empty()) return std::nullopt;
    return read<Control>(endpoint_->take().bytes);
  }

  Kinds kinds_;
  std::shared_ptr<NodeMemory> memory_;
  RecordedEndpoint* endpoint_;  // the outbox owns it
  Outbox outbox_;
  Executor executor_;
  Answers answers_;
  BatchTurns turns_;
  std::string refused_;
};

TEST_F(AgentParts, the_outbox_lets_one_process_have_so_many_bytes_under_way) {
  meet_far();
  const std::vector<std::byte> message(200 * 1024);
  EXPECT_EQ(*outbox_.send(far, message), Posted::accepted);
  EXPECT_EQ(*outbox_.send(far, message), Posted::busy);
  EXPECT_TRUE(outbox_.is_leaving_to_ranks());
  SendBuffer* buffer = outbox_.find(endpoint_->take().operation);
  ASSERT_NE(buffer, nullptr);
  outbox_.on_sent(*buffer);
  EXPECT_EQ(outbox_.leaving(), 0U);
  EXPECT_EQ(*outbox_.send(far, message), Posted::accepted);
}

TEST_F(AgentParts, the_outbox_empties_a_slot_when_its_bytes_have_left) {
  BatchSlot& slot = memory_->batches(Rank(0)).slots[0];
  slot.state.open(1000);
  ASSERT_TRUE(slot.state.take(slot.state.value()));
  EXPECT_EQ(*outbox_.send_on(1, Bytes(slot.bytes).first(1000), &slot), Posted::accepted);
  EXPECT_TRUE(outbox_.is_carrying());
  EXPECT_FALSE(slot.state.value().is_empty());
  const RecordedEndpoint::Message sent = endpoint_->take();
  EXPECT_EQ(sent.to, Peer{11});
  outbox_.on_sent(*outbox_.find(sent.operation));
  EXPECT_TRUE(slot.state.value().is_empty());
  EXPECT_FALSE(outbox_.is_carrying());
}

TEST_F(AgentParts, batches_are_executed_in_the_order_of_their_numbers) {
  meet_far();
  take(batch(2, 22));
  EXPECT_EQ(value(), 0U);
  take(batch(1, 11));
  EXPECT_EQ(value(), 22U);
  take(batch(2, 99));
  EXPECT_EQ(value(), 22U);
  EXPECT_EQ(turns_.repeated(), 1U);
  answers_.send();
  EXPECT_EQ(reply()->number, 2U);
  EXPECT_FALSE(reply());
}

TEST_F(AgentParts, a_batch_that_makes_no_sense_is_refused_with_its_rank) {
  meet_far();
  std::vector<std::byte> bytes = batch(1, 11);
  append(bytes, bytes_of(Request{.kind = RequestKind::message}));
  take(bytes);
  EXPECT_EQ(refused_.substr(0, 2), "1:") << refused_;
  answers_.send();
  EXPECT_FALSE(reply());
}

TEST_F(AgentParts, results_are_what_memory_holds_after_all_requests_before) {
  meet_far();
  take(batch(1, 40, RequestKind::atomic));
  take(batch(2, 2, RequestKind::atomic));
  answers_.send();
  for (const std::uint64_t old : {0U, 40U}) {
    const RecordedEndpoint::Message sent = endpoint_->take();
    EXPECT_EQ(sent.to, far_peer);
    std::uint64_t word = 0;
    ASSERT_EQ(sent.bytes.size(), sizeof(Reply) + sizeof(word));
    std::memcpy(&word, sent.bytes.data() + sizeof(Reply), sizeof(word));
    EXPECT_EQ(word, old);
  }
  EXPECT_EQ(value(), 42U);
}

TEST_F(AgentParts, answers_wait_for_the_network_and_say_so) {
  meet_far();
  take(batch(1, 11));
  endpoint_->is_busy = true;
  answers_.send();
  EXPECT_EQ(answers_.waiting(), 1U);
  EXPECT_TRUE(answers_.are_stuck());
  endpoint_->is_busy = false;
  answers_.send();
  EXPECT_EQ(answers_.waiting(), 0U);
  EXPECT_EQ(reply()->number, 1U);
}

TEST_F(AgentParts, requests_of_ranks_that_do_not_know_of_a_death_do_not_reach_the_next_process) {
  meet_far();
  add_death(memory_->header(), 1, {2, 0});  // of another rank
  take(batch(1, 11));
  EXPECT_EQ(value(), 11U);
  add_death(memory_->header(), 1, {0, 0}, DeathKind::replaced_death);
  take(batch(2, 22, RequestKind::store, 1));
  take(batch(3, 33, RequestKind::atomic, 1));
  EXPECT_EQ(value(), 11U);
  take(batch(4, 44, RequestKind::store, 3));
  EXPECT_EQ(value(), 44U);
  answers_.send();
  const auto to_atomic = read<Reply>(endpoint_->take().bytes);
  EXPECT_EQ(to_atomic->number, 3U);
  EXPECT_EQ(to_atomic->size, sizeof(ResultWord)) << "the sender waits for it";
  EXPECT_EQ(reply()->number, 4U);
}

TEST_F(AgentParts, a_replaced_process_is_not_executed_and_gets_no_answer) {
  meet_far(1);
  EXPECT_FALSE(turns_.may_meet(far, 0));
  take(batch(1, 11));
  EXPECT_EQ(value(), 0U);
  EXPECT_EQ(turns_.repeated(), 2U);
  answers_.send();
  EXPECT_FALSE(reply());
}

TEST_F(AgentParts, an_accumulate_waits_for_a_lock_and_what_follows_waits_too) {
  meet_far();
  std::vector<std::byte> bytes = copy_of(Batch{.tag = tag, .from = far, .number = 1});
  append(bytes, bytes_of(Request{.kind = RequestKind::accumulate,
                                 .size = static_cast<std::uint8_t>(AccumulateType::int64),
                                 .operand = 1}));
  append(bytes, bytes_of(PackedRun{.offset = cell, .stride = 8, .size = 8, .count = 1}));
  constexpr std::uint64_t term = 7;
  append(bytes, std::as_bytes(std::span(&term, 1)));
  std::optional<HeldStripes> held(memory_->page(Rank(0)).accumulate_locks);
  ASSERT_TRUE(held->try_move_to(cell, 8));
  take(bytes);
  take(batch(2, 1, RequestKind::atomic));
  EXPECT_EQ(turns_.stalled(), 1U);
  turns_.resume_stalled();
  EXPECT_EQ(value(), 0U);
  held.reset();
  turns_.resume_stalled();
  EXPECT_EQ(value(), 8U);
  EXPECT_EQ(turns_.stalled(), 0U);
}

// A copy in progress continues when its sender has gone; it is forgotten once it is complete.
TEST_F(AgentParts, a_copy_of_a_replaced_process_is_forgotten) {
  Options options;
  options.kinds = "none";
  options.emulated_devices = 1;
  options.emulated_latency = 200'000;
  Kinds kinds(options);
  Kind& kind = **kinds.device(0);
  OwnSpaces spaces(*memory_, Rank(0));
  const SpaceId space = *spaces.add(kind, *kind.allocate(4096));
  Executor executor(*memory_, kinds);
  BatchTurns turns(*memory_, tag, executor, answers_,
                   [](std::uint32_t, const std::string& why) { ADD_FAILURE() << why; });
  const auto pass = [&] {
    std::vector<std::byte> bytes = copy_of(Batch{.tag = tag, .from = far, .number = 1});
    append(bytes, bytes_of(Request{.kind = RequestKind::pass_to_device,
                                   .to = target_of({Rank(0), space}),
                                   .offset = cell,
                                   .operand = 1}));
    append(bytes, bytes_of(PackedRun{.offset = 0, .stride = 0, .size = 64, .count = 1}));
    turns.take(*read_batch(bytes, tag, memory_->plan()), bytes);
  };
  meet_far();
  turns.meet(far, 0);
  pass();
  EXPECT_EQ(turns.stalled(), 1U);
  turns.meet(far, 1);
  turns.resume_stalled();
  EXPECT_EQ(turns.stalled(), 0U);
  EXPECT_EQ(executor.pending_copies(), 1U);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  turns.meet(far, 0);
  pass();
  EXPECT_EQ(executor.pending_copies(), 1U) << "the one of this process";
}

// A batch that the rank has left open is sent at the second look that finds it unchanged.
TEST_F(AgentParts, a_batch_leaves_at_the_second_look) {
  LeftBatches left(*memory_, outbox_, {});
  BatchPlace& place = memory_->batches(Rank(0));
  write(place.slots[1].bytes.data(), Batch{.tag = tag, .node = 2});
  place.slots[1].state.open(sizeof(Batch));
  place.left_open.store(2);
  left.check(second);
  EXPECT_TRUE(endpoint_->sent.empty());
  left.check(second + 1'000);  // too early
  EXPECT_TRUE(endpoint_->sent.empty());
  left.check(second + 1'000'000);
  EXPECT_EQ(endpoint_->take().to, Peer{12});
  EXPECT_TRUE(place.slots[1].state.value().is_empty());
}

TEST_F(AgentParts, messages_of_ranks_are_carried_to_the_node_that_they_name) {
  int own = 0;
  Carrier carrier(*memory_, outbox_, {.on_own = [&own](Bytes) { ++own; }});
  carrier.begin();
  RecordWriter rank(memory_->relay(Rank(0)).to_agent);
  for (const std::uint32_t node : {0U, 2U, 3U}) {
    *rank.open(1, node) = std::byte(1);
    rank.publish();
  }
  EXPECT_TRUE(carrier.has_messages());
  EXPECT_TRUE(carrier.carry());
  EXPECT_EQ(own, 1);
  EXPECT_EQ(endpoint_->take().to, Peer{12});
  EXPECT_EQ(carrier.misdirected(), 1U);
  EXPECT_FALSE(carrier.has_messages());
  *rank.open(1, 1) = std::byte(1);
  rank.publish();
  endpoint_->is_busy = true;
  EXPECT_FALSE(carrier.carry());
  EXPECT_TRUE(carrier.has_messages());
}

TEST_F(AgentParts, messages_wait_until_their_rank_has_an_endpoint) {
  PassedMessages passed(*memory_, outbox_, "here");
  const std::array<std::byte, 4> message{};
  passed.pass(Rank(0), message);
  passed.send();
  EXPECT_EQ(passed.waiting(), 1U);
  EndpointInfo& info = memory_->endpoint_info(Rank(0));
  info.address[0] = std::byte(9);
  info.size.store(1);
  passed.send();
  EXPECT_EQ(passed.waiting(), 0U);
  EXPECT_EQ(endpoint_->take().to, Peer{9});
}

TEST_F(AgentParts, messages_go_to_the_endpoint_of_the_process_that_replaces_a_rank) {
  PassedMessages passed(*memory_, outbox_, "here");
  const std::array<std::byte, 4> message{};
  EndpointInfo& info = memory_->endpoint_info(Rank(0));
  info.address[0] = std::byte(9);
  info.size.store(1);
  passed.pass(Rank(0), message);
  passed.send();
  EXPECT_EQ(endpoint_->take().to, Peer{9});
  add_death(memory_->header(), 1, {0, 0}, DeathKind::replaced_death);
  passed.pass(Rank(0), message);
  passed.send();
  EXPECT_EQ(passed.waiting(), 0U);
  EXPECT_TRUE(endpoint_->sent.empty()) << "the rank is dead";
  info.address[0] = std::byte(10);
  DeathList(*memory_).begin_to_run(Rank(0));
  passed.pass(Rank(0), message);
  passed.send();
  EXPECT_EQ(endpoint_->take().to, Peer{10});
}

TEST_F(AgentParts, a_message_that_cannot_be_passed_on_ends_the_job_of_a_running_rank) {
  PassedMessages passed(*memory_, outbox_, "here");
  passed.tell_undelivered(0, "cut");
  EXPECT_EQ(memory_->header().is_over.load(), 0U);
  memory_->page(Rank(0)).state.store(RankState::running);
  passed.tell_undelivered(0, "cut");
  EXPECT_STREQ(memory_->header().why.data(),
               "host here: a message cannot be passed on to rank 0: cut");
}

TEST_F(AgentParts, a_node_that_is_silent_for_the_timeout_is_lost) {
  NodeWatch watch(*memory_, outbox_, 16 * second);
  memory_->entry(1).is_used.store(1);
  watch.check(100 * second);
  EXPECT_EQ(control()->kind, MessageKind::hello);
  EXPECT_EQ(control()->kind, MessageKind::beat);
  EXPECT_FALSE(control()) << "nobody uses node 2";
  EXPECT_FALSE(watch.hear(2, 100 * second));
  EXPECT_TRUE(watch.hear(1, 101 * second));
  for (std::uint64_t now = 102; now <= 117; ++now) watch.check(now * second);
  EXPECT_EQ(memory_->entry(1).state.load(), NodeState::known);
  for (std::uint64_t now = 118; now <= 122; ++now) watch.check(now * second);
  EXPECT_EQ(memory_->entry(1).state.load(), NodeState::silent);
}

TEST_F(AgentParts, a_beat_that_a_busy_endpoint_refuses_is_repeated) {
  NodeWatch watch(*memory_, outbox_, 16 * second);
  memory_->entry(1).is_used.store(1);
  endpoint_->is_busy = true;
  watch.check(100 * second);
  endpoint_->is_busy = false;
  watch.check(100 * second + second / 1000);
  EXPECT_FALSE(control()) << "too early";
  watch.check(100 * second + second / 10);
  EXPECT_EQ(control()->kind, MessageKind::hello);
  EXPECT_EQ(control()->kind, MessageKind::beat);
  watch.check(100 * second + second / 2);
  EXPECT_FALSE(control()) << "it was accepted";
}

// An agent that was stopped has received nothing meanwhile, and reports no loss.
TEST_F(AgentParts, the_time_that_an_agent_was_away_does_not_count) {
  NodeWatch watch(*memory_, outbox_, 16 * second);
  memory_->entry(1).is_used.store(1);
  watch.check(100 * second);
  watch.check(200 * second);
  EXPECT_EQ(memory_->entry(1).state.load(), NodeState::known);
}

TEST_F(AgentParts, agents_report_when_they_are_asked_and_say_farewell_to_those_they_know) {
  JobWatch watch(*memory_, outbox_, "here", 0);
  watch.answer({.from = agent_number(2), .number = 3});
  const auto report = control();
  EXPECT_EQ(report->kind, MessageKind::report);
  EXPECT_EQ(report->number, 3U);
  watch.tell_farewell();
  EXPECT_EQ(control()->flags & report::is_gone, report::is_gone);
  EXPECT_FALSE(control()) << "node 1 was never met";
}

TEST_F(AgentParts, the_first_reason_why_a_job_is_over_stays) {
  declare_over(memory_->header(), "first");
  declare_over(memory_->header(), "second");
  EXPECT_STREQ(memory_->header().why.data(), "first");
}

TEST_F(AgentParts, files_are_followed_when_ranks_ask_and_trouble_is_told) {
  ServedFiles files(*memory_, [](Rank) { FAIL() << "no file is short"; });
  ArenaFile& file = memory_->files(Rank(0)).list[3];
  file.process.store(-1);  // there is no such file
  file.size.store(4096);
  file.version.store(2);
  files.follow();
  EXPECT_EQ(file.laid.load(), 0U) << "nobody has asked";
  memory_->header().files_asked.store(1);
  files.follow();
  EXPECT_EQ(file.laid.load(), 2U);
  EXPECT_EQ(file.trouble.load(), 1);
  files.check(second);
  files.check(3 * second);
}

}  // namespace
}  // namespace gondwana::remote
