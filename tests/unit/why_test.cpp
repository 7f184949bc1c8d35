// The messages of `gondwana why`, without a job.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "observe/jobs/system_call.hpp"
#include "observe/stacks/words.hpp"
#include "report/why/diagnosis.hpp"
#include "report/why/loops.hpp"
#include "report/why/polls.hpp"
#include "report/why/rank_text.hpp"
#include "report/why/wait_graph.hpp"
#include "report/why/writers.hpp"

namespace gondwana::why {
namespace {

using jobs::JobSeen;
using jobs::RankSeen;
using jobs::WaitSeen;
using Ranks = std::vector<std::uint32_t>;

RankSeen runs(double waited = 0, std::uint64_t calls = 0) {
  RankSeen rank;
  rank.pid = 77;
  rank.process = RankSeen::Process::alive;
  rank.state = RankState::running;
  rank.waited = waited;
  rank.calls = calls;
  return rank;
}

RankSeen waits(std::string call, std::uint32_t peer, std::uint32_t team = Waiting::no_team) {
  RankSeen rank = runs(1);
  rank.wait = WaitSeen{
      .call = std::move(call), .peer = peer, .team = team, .seconds = 12, .lasts_throughout = true};
  return rank;
}

RankSeen in_barrier() {
  return waits("shmem_barrier_all", Waiting::any_rank, 0);
}

RankSeen with(RankSeen rank, RankSeen::Process process, RankState state = RankState::running) {
  rank.process = process;
  rank.state = state;
  return rank;
}

// On one node of `nodes`.
Diagnosis diagnosis_of(std::vector<RankSeen> ranks, std::uint32_t nodes = 1,
                       Stacks stacks = Stacks::seen) {
  JobSeen job;
  job.nodes = nodes;
  job.watched_s = 1;
  const auto count = static_cast<std::uint32_t>(ranks.size());
  for (std::uint32_t i = 0; i < count; ++i) ranks[i].rank = i;
  job.ranks = count * nodes;
  job.found = {{.node = 0, .first = 0, .ranks = count, .host = "here", .processors = 64}};
  job.seen = std::move(ranks);
  return diagnose(job, stacks);
}

std::string first_of(const Diagnosis& diagnosis) {
  return diagnosis.sentences.front();
}

TEST(why, a_chain_ends_at_the_rank_that_waits_for_none) {
  const Diagnosis found = diagnosis_of({waits("shmem_set_lock", 1), waits("shmem_set_lock", 2),
                                        waits("gex_AM_RequestMedium", 3), runs()});
  EXPECT_EQ(found.culprits, (Ranks{3}));
  EXPECT_TRUE(first_of(found).starts_with("rank 3 keeps the others waiting: it sleeps"));
}

TEST(why, a_rank_that_gets_no_processor_does_not_sleep) {
  RankSeen delayed = runs();
  delayed.computed = 0.02;
  delayed.delayed = 0.9;
  const Diagnosis found = diagnosis_of({in_barrier(), delayed});
  EXPECT_TRUE(first_of(found).starts_with("rank 1 keeps the others waiting: it computes"));
}

TEST(why, a_rank_that_polls_is_named_with_its_call_where_stacks_were_seen) {
  RankSeen busy = runs();
  busy.computed = 1;
  EXPECT_TRUE(first_of(diagnosis_of({in_barrier(), busy}, 1, Stacks::unseen))
                  .starts_with("rank 1 keeps the others waiting: it computes or polls in the "
                               "program, without a call of the library that waits in the 1.0 s"));
  for (const std::uint64_t calls : {0, 1000}) {
    busy = runs(0, calls);
    busy.polls = "shmem_long_g";
    const Diagnosis found = diagnosis_of({in_barrier(), busy});
    EXPECT_EQ(found.culprits, (Ranks{1}));
    const std::string what = calls == 0
                                 ? "it polls, calling shmem_long_g again and again, in the "
                                 : "it calls shmem_long_g again and again, perhaps as a poll, in";
    EXPECT_TRUE(first_of(found).starts_with("rank 1 keeps the others waiting: " + what));
    EXPECT_EQ(describe(busy),
              calls == 0 ? "polls by calls of shmem_long_g" : "calls shmem_long_g again and again");
  }
}

TEST(why, a_rank_that_sleeps_is_named_with_its_system_call) {
  RankSeen asleep = runs();
  asleep.system_call = "read of descriptor 0 (a pipe)";
  EXPECT_TRUE(first_of(diagnosis_of({in_barrier(), asleep}))
                  .starts_with("rank 1 keeps the others waiting: it sleeps in the program, in read "
                               "of descriptor 0 (a pipe), without a call of the library in the "));
  EXPECT_EQ(describe(asleep), "is in read of descriptor 0 (a pipe)");
  EXPECT_EQ(jobs::describe_system_call(fmt::format("{} 0x3 0x7f 0x1 0x0", SYS_read)),
            "read of descriptor 3");
  EXPECT_EQ(jobs::describe_system_call("running"), "");
  EXPECT_EQ(jobs::describe_system_call("-1 0x7ffd 0x7f"), "");
}

TEST(why, copies_of_devices_are_named_where_a_rank_or_its_agent_makes_them) {
  RankSeen copying = runs();
  copying.device_copies = 1;
  copying.system_call = "futex";
  EXPECT_EQ(first_of(diagnosis_of({in_barrier(), copying})),
            "rank 1 keeps the others waiting: it waits for a copy to or from a device; rank 0 "
            "waits in shmem_barrier_all for 12 s");
  EXPECT_EQ(describe(copying), "waits for a copy to or from a device");
  RankSeen puts = waits("put", Waiting::any_rank);
  puts.pending = 1;
  RankSeen target = in_barrier();
  target.served_copies = 1;
  EXPECT_TRUE(first_of(diagnosis_of({puts, target}))
                  .ends_with("; copies to or from devices of rank 1 are in flight"));
}

TEST(why, the_call_of_a_stack_is_the_one_that_the_program_has_made) {
  const auto call = [](std::vector<stacks::Frame> frames) {
    return call_of_library({.name = "t", .frames = std::move(frames)});
  };
  const stacks::Frame own{.function = "main", .is_program = true};
  const stacks::Frame yields{.function = "sched_yield", .module = "libc.so.6"};
  const stacks::Frame helper{.function = "note_fetches", .module = "/lib/libgondwana_shmem.so"};
  EXPECT_EQ(call({yields, helper, {.function = "pshmem_long_test"}, own}), "shmem_long_test");
  EXPECT_EQ(call({yields, helper, own}), "the library");
  EXPECT_EQ(call({yields, own}), "");
  EXPECT_EQ(call({own}), "");
}

TEST(why, a_rank_that_waits_for_words_is_told_with_the_values_that_end_it) {
  using Relation = Awaited::Relation;
  RankSeen rank = waits("shmem_int_wait_until", Waiting::any_rank);
  rank.wait->word = "flag";
  rank.wait->value = "-1";
  rank.wait->awaited = {
      .value = ~0ULL - 1, .words = 1, .size = 4, .is_signed = true, .relation = Relation::greater};
  EXPECT_TRUE(
      first_of(diagnosis_of({in_barrier(), rank}))
          .starts_with("rank 1 waits in shmem_int_wait_until on flag, which is -1, until it "
                       "is greater than -2; no rank is left to write there: all others "));
  rank.wait->call = "shmem_int_wait_until_all";
  rank.wait->awaited.words = 9;
  EXPECT_EQ(stacks::format_value(*rank.wait), "are -1, ...");
  EXPECT_EQ(stacks::format_awaited(*rank.wait), "all 9 are greater than -2");
  rank.wait->awaited.relation = Relation::unknown;  // a value for each
  EXPECT_EQ(stacks::format_awaited(*rank.wait), "");
}

// Rank 0 writes to rank 1, which waits for 8 bytes at 64 of its heap.
std::string writer_of(std::vector<trace::Event> writes) {
  trace::RankTrace writer{.rank = 0, .heap = 0x1000, .heap_size = 0x1000};
  writer.names = {"", "shmem_long_p", "shmem_put_signal"};
  for (trace::Event& write : writes) write.peer = 1;
  writer.threads = {{.events = std::move(writes)}};
  const trace::RankTrace other{.rank = 1, .heap = 0x8000, .heap_size = 0x1000};
  RankSeen waiting = waits("shmem_long_wait_until", Waiting::any_rank);
  waiting.rank = 1;
  waiting.wait->place = 0x8040;
  waiting.wait->word = "heap+0x40";
  waiting.wait->awaited = {.words = 1, .size = 8};
  trace::Symbols symbols;
  return describe_writer({{.ranks = {writer, other}}}, waiting, 5'000'000'000, symbols);
}

TEST(why, the_last_write_to_a_word_or_else_near_it_is_told) {
  const auto put = [](std::uint64_t place, std::uint64_t bytes, std::int64_t at_ns,
                      std::uint16_t name = 1) {
    return trace::Event{.kind = EventKind::put,
                        .name = name,
                        .begin_ns = at_ns,
                        .place = 0x1000 + place,
                        .bytes = bytes};
  };
  EXPECT_EQ(writer_of({put(64, 8, 1), put(64, 8, 3'000'000'000), put(72, 8, 4'000'000'000)}),
            "the last write to heap+0x40 of rank 1: rank 0, shmem_long_p, 2.0 s ago");
  EXPECT_EQ(writer_of({put(72, 8, 1'000'000'000), put(48, 8, 1)}),
            "no write to heap+0x40 of rank 1 is in the events of the trace; the last one near it, "
            "just after it: rank 0, shmem_long_p, 4.0 s ago");
  EXPECT_TRUE(writer_of({put(48, 8, 1)}).find("near it, 8 bytes before it: rank 0") !=
              std::string::npos);
  EXPECT_EQ(writer_of({put(1024, 8, 1), put(0, 4000, 1, 2)}),
            "no write to heap+0x40 of rank 1 is in the events of the trace; the last one near it, "
            "56 bytes before it: rank 0, shmem_put_signal, 5.0 s ago");
  EXPECT_EQ(writer_of({put(1024, 8, 1)}),
            "the trace contains no put or atomic operation to heap+0x40 of rank 1");
}

TEST(why, a_loop_is_where_every_look_found_the_same_few_instructions) {
  const auto look = [](std::uint64_t address) {
    const stacks::Frame frame{
        .function = "main", .file = "spin.c", .line = 5, .is_program = true, .address = address};
    return stacks::Place{.threads = {{.thread = 7, .name = "t", .frames = {frame}}}};
  };
  const auto loop_of = [](const std::vector<stacks::Place>& samples) {
    RankSeen rank = runs();
    find_loop(rank, samples);
    return rank.loop;
  };
  EXPECT_EQ(loop_of({look(0x40), look(0x46), look(0x40), look(0x44)}), "spin.c:5 in main");
  EXPECT_EQ(loop_of({look(0x40), look(0x80), look(0x40), look(0x44)}), "");
  EXPECT_EQ(loop_of({look(0x40), look(0x40)}), "");  // too few
  EXPECT_EQ(loop_of({look(0x40), {}, look(0x40), look(0x44)}), "");
}

TEST(why, the_variable_that_a_loop_reads_is_found_in_its_instructions) {
  const auto readings = [](std::vector<std::uint8_t> code) {
    return readings_in(std::as_bytes(std::span(code)), 0x1000);
  };
  // mov 0x20(%rip),%eax; test %eax,%eax; je
  const auto move = readings({0x8b, 0x05, 0x20, 0, 0, 0, 0x85, 0xc0, 0x74, 0xf6});
  ASSERT_EQ(move.size(), 1U);
  EXPECT_EQ(move[0].begin, 0x1000U);
  EXPECT_EQ(move[0].end, 0x1006U);
  EXPECT_EQ(move[0].address, 0x1026U);
  // cmpl $1,-0x10(%rip); jne
  const auto compare = readings({0x83, 0x3d, 0xf0, 0xff, 0xff, 0xff, 0x01, 0x75, 0xf7});
  ASSERT_EQ(compare.size(), 1U);
  EXPECT_EQ(compare[0].address, 0x0ff7U);
  EXPECT_TRUE(readings({0xeb, 0xfe}).empty());
}

TEST(why, a_circle_beside_a_chain_into_it_is_named_alone) {
  const Diagnosis found = diagnosis_of({waits("shmem_set_lock", 1), waits("shmem_set_lock", 2),
                                        waits("shmem_set_lock", 1), in_barrier()});
  EXPECT_EQ(found.culprits, (Ranks{1, 2}));
  EXPECT_EQ(
      first_of(found),
      "ranks 1, 2 wait for each other, and none can continue: rank 1 in shmem_set_lock for rank "
      "2, rank 2 in shmem_set_lock for rank 1");
}

TEST(why, a_lock_that_is_held_by_a_rank_in_a_barrier_is_a_circle) {
  const Diagnosis found = diagnosis_of({in_barrier(), in_barrier(), waits("shmem_set_lock", 0)});
  EXPECT_EQ(found.culprits, (Ranks{0, 2}));
  EXPECT_NE(first_of(found).find("rank 2 in shmem_set_lock for rank 0"), std::string::npos);
}

TEST(why, a_rank_that_is_no_member_is_not_waited_for) {
  const auto in_team = [] {
    RankSeen rank = waits("shmem_team_sync", Waiting::any_rank, 2);
    rank.wait->members = {.first = 0, .stride = 2, .size = 2};
    return rank;
  };
  const Diagnosis found = diagnosis_of({waits("shmem_set_lock", 2), runs(), in_team(), runs()});
  EXPECT_EQ(found.culprits, (Ranks{0, 2}));
  EXPECT_EQ(diagnosis_of({in_team(), runs(), runs(), runs()}).culprits, (Ranks{2}));
}

TEST(why, what_the_network_carries_is_under_way) {
  const auto gets = [] {
    RankSeen rank = waits("get", Waiting::any_rank);
    rank.pending = 2;
    return rank;
  };
  const Diagnosis found = diagnosis_of({gets(), gets()});
  EXPECT_TRUE(found.culprits.empty());
  EXPECT_TRUE(first_of(found).starts_with(
      "ranks 0, 1 wait for the network: 4 operations to other nodes are in flight; "));
}

TEST(why, a_job_that_all_ranks_have_left_has_ended) {
  const auto gone = RankSeen::Process::gone;
  const RankSeen left = with(runs(), gone, RankState::finalized);
  EXPECT_EQ(first_of(diagnosis_of({left, left})), "the job has ended while it was watched");
  const Diagnosis one_lost = diagnosis_of({left, with(runs(), gone)});
  EXPECT_EQ(first_of(one_lost),
            "the job has ended while it was watched; rank 1 ended without leaving it");
  EXPECT_EQ(one_lost.culprits, (Ranks{1}));
  const RankSeen continues = with(runs(), RankSeen::Process::alive, RankState::finalized);
  EXPECT_EQ(first_of(diagnosis_of({left, continues})),
            "the job has ended, but the process of rank 1 has not ended yet");
}

TEST(why, a_job_on_hosts_that_do_not_answer_has_not_ended) {
  JobSeen job;
  EXPECT_TRUE(is_over(job));
  job.complaints = {"host far: ssh ended"};
  EXPECT_FALSE(is_over(job));
}

TEST(why, a_rank_that_waits_in_one_thread_and_calls_in_another_works) {
  RankSeen rank = waits("shmem_long_wait_until", Waiting::any_rank);
  rank.calls = 3;
  EXPECT_TRUE(diagnosis_of({rank, rank}).culprits.empty());
}

TEST(why, members_are_ranks_at_equal_steps) {
  const jobs::Members falling{.first = 6, .stride = -3, .size = 3};
  EXPECT_TRUE(falling.has(6) && falling.has(3) && falling.has(0));
  EXPECT_FALSE(falling.has(5) || falling.has(9));
  const jobs::Members one{.first = 4, .stride = 0, .size = 1};
  EXPECT_TRUE(one.has(4));
  EXPECT_FALSE(one.has(5) || jobs::Members{}.has(0));
}

TEST(why, the_fewest_are_in_the_wrong_collective) {
  const auto in_sum = [] { return waits("shmem_int_sum_reduce", Waiting::any_rank, 0); };
  const Diagnosis found = diagnosis_of({in_sum(), in_barrier(), in_sum(), in_sum()});
  EXPECT_EQ(found.culprits, (Ranks{1}));
  EXPECT_EQ(first_of(found),
            "rank 1 is in shmem_barrier_all of the world team, but ranks 0, 2, 3 are in "
            "shmem_int_sum_reduce of the world team: all members must call the same collectives in "
            "the same order; run again with -x GONDWANA_DEBUG=yes: it names the call");
}

TEST(why, lost_and_stopped_ranks_come_before_those_that_compute) {
  const Diagnosis found = diagnosis_of({in_barrier(), runs(), with(runs(), RankSeen::Process::gone),
                                        with(runs(), RankSeen::Process::stopped)});
  ASSERT_EQ(found.sentences.size(), 3U);
  EXPECT_EQ(found.sentences[0],
            "rank 2 has ended without leaving the job; rank 0 waits in shmem_barrier_all for 12 s");
  EXPECT_TRUE(found.sentences[1].starts_with("rank 3 is stopped by a signal: kill -CONT 77"));
  EXPECT_TRUE(found.sentences[2].starts_with("rank 1 keeps the others waiting"));
  EXPECT_EQ(found.culprits, (Ranks{2, 3, 1}));
}

TEST(why, ranks_that_have_left_are_waited_for_by_none) {
  const auto left = [] { return with(runs(), RankSeen::Process::gone, RankState::finalized); };
  const Diagnosis found = diagnosis_of({left(), waits("shmem_finalize", Waiting::any_rank, 0)});
  EXPECT_EQ(found.culprits, (Ranks{1}));
  EXPECT_EQ(first_of(found),
            "rank 1 waits in shmem_finalize for something that no rank is left to do: no other "
            "rank is there; rank 0 has left the job");
}

TEST(why, ranks_on_other_hosts_may_be_waited_for) {
  const Diagnosis found = diagnosis_of({in_barrier(), in_barrier()}, 2);
  EXPECT_TRUE(found.culprits.empty());
  EXPECT_EQ(first_of(found),
            "ranks 0, 1 wait, perhaps for ranks on other hosts; ranks 0, 1 wait in "
            "shmem_barrier_all for 12 s");
  EXPECT_TRUE(found.sentences[1].starts_with("1 of the 2 nodes of the job was not examined: "));
}

TEST(why, a_lock_is_named) {
  RankSeen first = waits("shmem_set_lock", 1);
  RankSeen second = waits("shmem_set_lock", 0);
  first.wait->word = "locks+8";
  second.wait->word = "heap+0x40";
  EXPECT_EQ(
      first_of(diagnosis_of({first, second})),
      "ranks 0, 1 wait for each other, and none can continue: rank 0 in shmem_set_lock on locks+8 "
      "for rank 1, rank 1 in shmem_set_lock on heap+0x40 for rank 0");
}

TEST(why, too_few_processors_are_told_where_they_are_used) {
  RankSeen busy = runs(0.5, 100);
  busy.computed = 0.4;
  busy.delayed = 0.6;
  RankSeen woken = busy;
  woken.computed = 0.05;
  const auto of = [](const RankSeen& rank) {
    return first_of(diagnosis_of(std::vector<RankSeen>(100, rank)));
  };
  EXPECT_TRUE(of(busy).starts_with("100 ranks share 64 processors of here and wait for them"));
  EXPECT_TRUE(of(woken).starts_with("no rank keeps the others waiting"));
  woken.delayed = 0.9;
  JobSeen loaded;  // by other programs
  loaded.ranks = 100;
  loaded.nodes = 1;
  loaded.watched_s = 1;
  loaded.found = {{.ranks = 100, .host = "here", .processors = 64, .idle = 0}};
  loaded.seen.assign(100, woken);
  for (std::uint32_t i = 0; i < 100; ++i) loaded.seen[i].rank = i;
  EXPECT_TRUE(first_of(diagnose(loaded)).ends_with("of the time; other processes run there, too"));
}

TEST(why, an_agent_that_is_stopped_is_named) {
  JobSeen job;
  job.ranks = 1;
  job.nodes = 1;
  job.watched_s = 1;
  job.found = {
      {.ranks = 1, .host = "here", .agent = jobs::AgentSeen{.pid = 8, .is_stopped = true}}};
  job.seen = {in_barrier()};
  EXPECT_TRUE(first_of(diagnose(job))
                  .starts_with("the agent of node 0 on host here (process 8) is stopped by a "
                               "signal: kill -CONT 8 resumes it"));
  job.found[0].agent->tracer = 9;
  EXPECT_NE(first_of(diagnose(job)).find(" is stopped by a debugger, process 9"),
            std::string::npos);
}

TEST(why, a_rank_that_has_not_come_is_named) {
  const RankSeen absent;
  const Diagnosis found = diagnosis_of({waits("shmem_init", Waiting::any_rank, 0), absent});
  EXPECT_EQ(first_of(found),
            "rank 1 has not joined the job yet; rank 0 waits in shmem_init for 12 s");
}

TEST(why, ranks_that_initialise_are_starting) {
  RankSeen starting;
  starting.state = RankState::joined;
  EXPECT_EQ(first_of(diagnosis_of({starting, starting})), "ranks 0, 1 are still starting");
  const Diagnosis found = diagnosis_of({waits("shmem_init", Waiting::any_rank, 0), starting});
  EXPECT_EQ(first_of(found), "rank 1 is still starting; rank 0 waits in shmem_init for 12 s");
  EXPECT_EQ(found.sentences.size(), 1U);
}

TEST(why, a_rank_that_waits_little_is_slow_only_among_ranks_that_wait_much) {
  EXPECT_EQ(diagnosis_of({runs(0.7, 9), runs(0.05, 9), runs(0.6, 9)}).culprits, (Ranks{1}));
  EXPECT_TRUE(diagnosis_of({runs(0.2, 9), runs(0.01, 9), runs(0.3, 9)}).culprits.empty());
  EXPECT_TRUE(diagnosis_of({runs(0.7, 9), runs(0.05, 9), runs(0.05, 9)}).culprits.empty());
}

TEST(why, times_are_said_as_people_say_them) {
  EXPECT_EQ(format_seconds(0.25), "250 ms");
  EXPECT_EQ(format_seconds(1.04), "1.0 s");
  EXPECT_EQ(format_seconds(12.3), "12 s");
  EXPECT_EQ(format_seconds(180), "3 min");
  EXPECT_EQ(format_seconds(9000), "2.5 h");
}

}  // namespace
}  // namespace gondwana::why
