// The questions to observers on other hosts, and their answers.
#include "observe/hosts/messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace gondwana::hosts {
namespace {

Message sent(const Message& message) {
  MessageParser parser;
  parser.add(encode(message));
  const Result<std::optional<Message>> back = parser.next();
  EXPECT_TRUE(back && *back);
  return **back;
}

Watched a_job() {
  jobs::JobSeen job;
  job.id = "0000abcd";
  job.program = "./a \xff\n";
  job.ranks = 3;
  job.nodes = 2;
  job.watched_s = 0.25;
  job.found = {{.node = 1, .first = 2, .ranks = 1, .host = "b", .processors = 7}};
  job.found.front().agent = jobs::AgentSeen{.pid = 12, .used_s = 1.5, .waiting = 4, .leaving = 5};
  jobs::RankSeen rank;
  rank.rank = 2;
  rank.node = 1;
  rank.pid = 4711;
  rank.process = jobs::RankSeen::Process::stopped;
  rank.state = RankState::running;
  rank.wait = jobs::WaitSeen{.call = "shmem_set_lock",
                             .peer = 1,
                             .place = 0x1234,
                             .word = "locks+8",
                             .members = {.first = 3, .stride = -1, .size = 2},
                             .seconds = 2.5,
                             .lasts_throughout = true};
  rank.counts.back() = 17;
  rank.totals.front() = std::uint64_t{1} << 40;
  job.seen = {rank};
  return {job};
}

TEST(messages, a_job_arrives_as_it_was_sent) {
  const Message message = a_job();
  const Message back = sent(message);
  EXPECT_EQ(encode(back), encode(message));
  const jobs::JobSeen& job = *std::get<Watched>(back).job;
  EXPECT_EQ(job.program, "./a \xff\n");
  EXPECT_EQ(job.found.front().agent->waiting, 4U);
  EXPECT_EQ(job.seen.front().wait->members.stride, -1);
  EXPECT_EQ(job.seen.front().wait->seconds, 2.5);
  EXPECT_EQ(job.seen.front().totals.front(), std::uint64_t{1} << 40);
}

TEST(messages, a_trace_arrives_as_it_was_sent) {
  trace::NodeTrace node{.job = "0000abcd", .host = "b", .node = 1, .ahead_ns = -5, .error_ns = 2};
  trace::RankTrace rank{.rank = 2, .process = 4711, .heap = 0x1000, .heap_size = 64};
  rank.names = {"", "shmem_putmem"};
  rank.threads.push_back({.thread = 4711, .name = "main", .replaced = 3});
  rank.threads[0].events.push_back({.kind = EventKind::batch,
                                    .is_open = true,
                                    .name = 1,
                                    .peer = 5,
                                    .begin_ns = -7,
                                    .duration_ns = 9,
                                    .place = 0x1008,
                                    .bytes = 8});
  node.ranks.push_back(rank);
  const Message message = Traced{{node}};
  const Message back = sent(message);
  EXPECT_EQ(encode(back), encode(message));
  const trace::Event& event =
      std::get<Traced>(back).nodes.front().ranks.front().threads.front().events.front();
  EXPECT_EQ(event.begin_ns, -7);
  EXPECT_EQ(event.kind, EventKind::batch);
}

TEST(messages, all_kinds_arrive) {
  stacks::Place place;
  place.rank = 1;
  place.threads = {{.thread = 5, .name = "a", .frames = {{.function = "main", .line = 7}}}};
  jobs::Row row;
  row.id = "0000abcd";
  row.nodes_seen = {0, 2};
  for (const Message& message : {Message(List{true}), Message(Watch{"0000abcd", 250, true}),
                                 Message(FindPlaces{"ab", {1, 2}}), Message(Greeting{"1.0", 99}),
                                 Message(Listed{{row}, {"a note"}}), Message(Watched{}),
                                 Message(Places{{place}}), Message(Trace{"0000abcd", 250}),
                                 Message(AskTime{}), Message(Traced{}), Message(Time{-4})}) {
    const Message back = sent(message);
    EXPECT_EQ(back.index(), message.index());
    EXPECT_EQ(encode(back), encode(message));
  }
}

bool arrives(const Message& message) {
  MessageParser parser;
  parser.add(encode(message));
  return static_cast<bool>(parser.next());
}

TEST(messages, a_job_that_cannot_be_is_refused) {
  const auto is_taken = [](auto&& change) {
    Watched watched = a_job();
    change(*watched.job);
    return arrives(watched);
  };
  EXPECT_TRUE(is_taken([](jobs::JobSeen&) {}));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.id = "../../id"; }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.nodes = 1; }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.watched_s = 0; }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.found.push_back(job.found.front()); }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.found.front().ranks = ~0U; }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.seen.push_back(job.seen.front()); }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.seen.front().rank = 1; }));
  EXPECT_FALSE(is_taken([](jobs::JobSeen& job) { job.seen.front().waited = 0.0 / 0.0; }));
}

TEST(messages, a_trace_that_cannot_be_is_refused) {
  const auto is_taken = [](auto&& change) {
    trace::NodeTrace node{.job = "0000abcd"};
    node.ranks.emplace_back().threads.emplace_back().events.emplace_back();
    change(node, node.ranks[0].threads[0].events[0]);
    return arrives(Traced{{node}});
  };
  EXPECT_TRUE(is_taken([](trace::NodeTrace&, trace::Event&) {}));
  EXPECT_FALSE(is_taken([](trace::NodeTrace& node, trace::Event&) { node.job = "../../../a"; }));
  EXPECT_FALSE(is_taken([](trace::NodeTrace& node, trace::Event&) { node.ahead_ns = INT64_MIN; }));
  EXPECT_FALSE(
      is_taken([](trace::NodeTrace&, trace::Event& event) { event.begin_ns = INT64_MAX; }));
  EXPECT_FALSE(is_taken([](trace::NodeTrace&, trace::Event& event) { event.duration_ns = -1; }));
}

TEST(messages, pieces_are_joined) {
  const std::string bytes = encode(a_job()) + encode(List{});
  MessageParser parser;
  std::size_t found = 0;
  for (const char byte : bytes) {
    parser.add({&byte, 1});
    const Result<std::optional<Message>> message = parser.next();
    ASSERT_TRUE(message) << message.error().text;
    found += *message ? 1 : 0;
  }
  EXPECT_EQ(found, 2U);
}

// The changed byte may give another number, but never more bytes than arrived.
TEST(messages, a_message_with_a_changed_byte_is_refused_or_as_long) {
  const std::string bytes = encode(a_job());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    MessageParser parser;
    parser.add(changed);
    const Result<std::optional<Message>> message = parser.next();
    if (!message || !*message) continue;
    EXPECT_LE(encode(**message).size(), bytes.size()) << at;
  }
}

TEST(messages, one_that_is_longer_than_a_frame_comes_in_parts) {
  const std::string whole = encode(a_job());
  const std::string bytes = encode(a_job(), 100) + encode(List{});
  EXPECT_GT(bytes.size(), whole.size() + 100);
  MessageParser parser;
  std::string back;
  for (const char byte : bytes) {
    parser.add({&byte, 1});
    const Result<std::optional<Message>> message = parser.next();
    ASSERT_TRUE(message) << message.error().text;
    if (*message) back += encode(**message);
  }
  EXPECT_EQ(back, whole + encode(List{}));
}

TEST(messages, builds_with_another_header_are_told_apart_both_ways) {
  const std::string former("GdOb\x0f\0\0\0\3", 9);
  MessageParser parser;
  parser.add(former);
  EXPECT_EQ(parser.next().error().text,
            "a message between gondwana and its observer is of an older build; all hosts need the "
            "same version of Gondwana");
  EXPECT_FALSE(encode(Greeting{}).starts_with("GdOb"));  // otherwise it would wait for more bytes
}

TEST(messages, what_a_shell_prints_is_quoted) {
  MessageParser parser;
  parser.add("Welcome to this host\nmore");
  const Result<std::optional<Message>> message = parser.next();
  ASSERT_FALSE(message);
  EXPECT_NE(message.error().text.find("is not from Gondwana: \"Welcome to this host\""),
            std::string::npos);
}

}  // namespace
}  // namespace gondwana::hosts
