#include "run/remote/frames.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bootstrap/protocol.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t job_tag = 0x1234'5678'9abc'def0;
constexpr std::size_t version_offset = 4;
constexpr std::size_t kind_offset = 6;
constexpr std::size_t length_offset = 16;

Task example_task() {
  Task task{.job = {}, .environment = {"FI_PROVIDER=tcp"}, .folder = "/tmp/a b"};
  task.job.programs.push_back({.ranks = 2,
                               .words = {"./heat", "", "it's"},
                               .path = {},
                               .environment = {"A=1"},
                               .folder = "x"});
  task.job.share = {.node = 1, .nodes = 2, .first = 3, .total = 5, .tag = 0, .peer_timeout_s = 20};
  task.job.streams.reader = 4;
  task.job.binding.to = Binding::numa;
  task.job.streams.folder = "logs";
  task.job.streams.prompts = true;
  task.job.on_death = OnDeath::go_on;
  task.job.restart = {.times = 3, .keeps_memory = true};
  task.job.trace = {.file = "/tmp/t", .after_failure = true, .last_ms = 7};
  return task;
}

std::vector<Frame> one_of_each() {
  return {example_task(),
          Input{"text"},
          Signal{15},
          NodeRows{{{0, 1, "a"}, {2, 7, std::string("b\0c", 3)}}},
          End{true, 7},
          Ping{5},
          Taken{1ULL << 40},
          Hello{},
          Output{3, Standard::error, "line\n"},
          Said{"a sentence"},
          ThisNode{std::string(longest_node_info, 'x')},
          Stopping{7, "rank 3 ...", true},
          Ended{0},
          Pong{5, 6},
          Deaf{},
          Left{7},
          TracePart{std::string("a\0b", 3), false},
          RanksDied{{{3, 0}, {4, 2}}, 137, "rank 3 ...", DeathKind::replaced_death},
          DeadRanks{7, {{{3, 0}, DeathKind::replaced_death}, {{4, 2}, DeathKind::leave}}},
          ShrinkEntry{1, 2, 1ULL << 40, 3, 4, 5, 2, 6, 7},
          Shrunk{{1, 2, 1ULL << 40, 5, 6, 7}, {2, 4}},
          MoreWanted{5, 1, 4, {"/folder", {"program", "word"}, "a:2,b"}},
          LeaveWanted{5, {1, 3}},
          Answer{5, 6, true, "no"},
          Grown{6, 4},
          Arrived{5},
          Dismissed{{1, 3}},
          WorldEntry{5, 1, 6, 1ULL << 40},
          WorldDecision{2, 6, 1, 6, 1ULL << 40},
          RankRuns{{3, 1}, 2},
          RanksEnded{},
          AllEnded{}};
}

Result<std::optional<Frame>> parse(const std::string& bytes, std::uint64_t expected_tag = job_tag) {
  FrameParser parser(expected_tag);
  parser.add(bytes);
  return parser.next();
}

std::string refusal(const std::string& bytes, std::uint64_t expected_tag = job_tag) {
  const Result<std::optional<Frame>> frame = parse(bytes, expected_tag);
  EXPECT_FALSE(frame);
  return frame ? "" : frame.error().text;
}

bool is_refused(const Frame& frame) {
  return !parse(encode(frame, job_tag));
}

TEST(frames, each_frame_comes_back_from_its_bytes) {
  const std::vector<Frame> frames = one_of_each();
  ASSERT_EQ(frames.size(), std::variant_size_v<Frame>);
  for (const Frame& frame : frames) {
    Result<std::optional<Frame>> back = parse(encode(frame, job_tag));
    ASSERT_TRUE(back && *back) << frame.index();
    EXPECT_EQ((*back)->index(), frame.index());
    EXPECT_EQ(encode(**back, job_tag), encode(frame, job_tag)) << frame.index();
  }
}

TEST(frames, a_task_keeps_its_values) {
  Result<std::optional<Frame>> frame = parse(encode(example_task(), job_tag));
  ASSERT_TRUE(frame && *frame);
  const auto& task = std::get<Task>(**frame);
  EXPECT_EQ(task.folder, "/tmp/a b");
  EXPECT_EQ(task.job.programs.at(0).words, (std::vector<std::string>{"./heat", "", "it's"}));
  EXPECT_EQ(task.job.programs.at(0).environment, std::vector<std::string>{"A=1"});
  EXPECT_EQ(task.job.share.first, 3U);
  EXPECT_EQ(task.job.share.peer_timeout_s, 20U);
  EXPECT_EQ(task.job.streams.reader, 4U);
  EXPECT_EQ(task.job.binding.to, Binding::numa);
  EXPECT_EQ(task.job.on_death, OnDeath::go_on);
  EXPECT_TRUE(task.job.streams.prompts);
}

TEST(frames, frames_are_found_in_a_stream_that_comes_byte_by_byte) {
  std::string stream;
  for (const Frame& frame : one_of_each()) stream += encode(frame, job_tag);
  FrameParser parser;
  std::size_t found = 0;
  for (const char byte : stream) {
    parser.add({&byte, 1});
    Result<std::optional<Frame>> frame = parser.next();
    ASSERT_TRUE(frame);
    if (!*frame) continue;
    EXPECT_EQ((*frame)->index(), found);
    ++found;
  }
  EXPECT_EQ(found, std::variant_size_v<Frame>);
  EXPECT_EQ(parser.tag(), job_tag);
}

TEST(frames, what_is_missing_leads_exactly_to_the_end_of_the_frame) {
  const std::string bytes = encode(example_task(), job_tag);
  FrameParser parser;
  std::size_t at = 0;
  while (parser.missing() > 0) {
    const std::size_t length = parser.missing();
    ASSERT_LE(at + length, bytes.size());
    parser.add(std::string_view(bytes).substr(at, length));
    at += length;
  }
  EXPECT_EQ(at, bytes.size());
}

TEST(frames, what_a_shell_says_is_quoted) {
  EXPECT_EQ(refusal("Welcome\x07 to node1\nand more"),
            "a message between the hosts of the job is not from Gondwana: \"Welcome? to node1\"; "
            "does a startup file of the shell there print something?");
}

TEST(frames, wrong_headers_are_refused) {
  const std::string ping = encode(Ping{}, job_tag);
  std::string changed = ping;
  changed[version_offset] = 99;
  EXPECT_NE(refusal(changed).find("version 99"), std::string::npos);
  changed = ping;
  changed[kind_offset] = std::variant_size_v<Frame>;
  EXPECT_NE(refusal(changed).find("unknown kind"), std::string::npos);
  changed = ping;
  changed[length_offset + 3] = 0x7f;
  EXPECT_NE(refusal(changed).find("bytes"), std::string::npos);
  EXPECT_NE(refusal(ping, job_tag + 1).find("another job"), std::string::npos);
  EXPECT_NE(refusal(encode(Ping{}, 0), 0).find("does not belong to a job"), std::string::npos);
}

TEST(frames, a_payload_of_the_wrong_length_is_refused) {
  const std::string signal = encode(Signal{15}, job_tag);
  std::string shorter = signal.substr(0, signal.size() - 1);
  shorter[length_offset] = 3;
  EXPECT_NE(refusal(shorter).find("wrong fields"), std::string::npos);
  std::string longer = signal + "x";
  longer[length_offset] = 5;
  EXPECT_NE(refusal(longer).find("wrong fields"), std::string::npos);
}

TEST(frames, values_out_of_range_are_refused) {
  EXPECT_TRUE(is_refused(Signal{0}));
  EXPECT_TRUE(is_refused(Signal{65}));
  EXPECT_TRUE(is_refused(ThisNode{std::string(longest_node_info + 1, 'x')}));
  EXPECT_TRUE(is_refused(NodeRows{{{0, 1, std::string(longest_node_info + 1, 'x')}}}));
  EXPECT_TRUE(is_refused(NodeRows{{{protocol::max_ranks, 1, "x"}}}));
  EXPECT_TRUE(is_refused(Output{1U << 31, Standard::output, ""}));
  EXPECT_TRUE(is_refused(Stopping{256, ""}));
  EXPECT_TRUE(is_refused(End{true, 256}));
  EXPECT_TRUE(is_refused(Ended{256}));
  EXPECT_TRUE(is_refused(RanksDied{{}, 1, ""}));
  EXPECT_TRUE(is_refused(RanksDied{{{protocol::max_ranks, 0}}, 1, ""}));
  EXPECT_TRUE(is_refused(DeadRanks{0, {{{1, 0}}}}));
  EXPECT_TRUE(is_refused(RankRuns{{1, RestartWish::most + 1}}));
  EXPECT_TRUE(is_refused(ShrinkEntry{.size = 2, .dead = 2}));
  EXPECT_TRUE(is_refused(MoreWanted{.ranks = 0}));
  EXPECT_TRUE(is_refused(Grown{.ranks = 2, .nodes = 2 * protocol::max_ranks}));
  EXPECT_TRUE(is_refused(Arrived{protocol::max_ranks}));
  EXPECT_TRUE(is_refused(WorldEntry{.rank = protocol::max_ranks}));
  EXPECT_TRUE(is_refused(WorldDecision{.turn = 0}));
}

// Ranks 5 and 6 join later, on node 2.
void add_node(Task& task) {
  task.job.share.max_total = 8;
  task.job.share.session = {5, 2};
  task.job.share.node = 2;
  task.job.share.first = 5;
  task.job.share.added_nodes = 1;
}

TEST(frames, tasks_that_make_no_sense_are_refused) {
  const auto refused = [](auto change) {
    Task task = example_task();
    change(task);
    return is_refused(task);
  };
  EXPECT_TRUE(refused([](Task& task) { task.job.programs.clear(); }));
  EXPECT_TRUE(refused([](Task& task) { task.job.programs[0].words.clear(); }));
  EXPECT_TRUE(refused([](Task& task) { task.job.programs[0].ranks = 3; }));
  EXPECT_TRUE(refused([](Task& task) { task.job.share.first = 6; }));
  EXPECT_TRUE(refused([](Task& task) { task.job.share.node = 2; }));
  EXPECT_TRUE(refused([](Task& task) { task.job.share.nodes = protocol::max_ranks + 1; }));
  EXPECT_TRUE(refused([](Task& task) { task.job.share.added_nodes = 1; }));
  EXPECT_TRUE(refused([](Task& task) { task.job.share.session = {4, 2}; }))
      << "ranks that are there already";
  EXPECT_FALSE(refused(add_node));
  EXPECT_TRUE(refused([](Task& task) {
    add_node(task);
    task.job.share.max_total = 6;
  }));
  const auto replace_node = [](Task& task) {
    task.job.share.spare_nodes = 1;
    task.job.share.session = {0, 5};
    task.job.share.node = 2;
    task.job.share.added_nodes = 1;
    task.job.share.incarnations.assign(task.job.programs[0].ranks, 3);
  };
  EXPECT_FALSE(refused(replace_node));
  EXPECT_TRUE(refused([&](Task& task) {
    replace_node(task);
    task.job.share.incarnations.push_back(1);
  })) << "of a rank that is not there";
  EXPECT_TRUE(refused([&](Task& task) {
    replace_node(task);
    task.job.share.spare_nodes = 0;
  }));
  EXPECT_TRUE(refused([](Task& task) { task.folder = std::string("a\0b", 3); }));
}

}  // namespace
}  // namespace gondwana::launch
