// The decisions of a conductor, without a process, a pipe or a clock.
#include "support/job_on_hosts.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/io/heard_signals.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

// The contacts that a host has received since the last call, in one update.
Texts told(Hosts& hosts, std::uint32_t node) {
  Texts infos;
  const NodeRows update = hosts.sent<NodeRows>(node).at(0);
  for (const NodeRow& row : update.rows) infos.push_back(row.info);
  return infos;
}

TEST(JobOnHosts, hosts_get_the_infos_of_all_when_the_last_has_come) {
  Hosts hosts(3);
  for (std::uint32_t node = 0; node < 3; ++node) hosts.say(node, Hello{});
  EXPECT_EQ(hosts.done<StartInput>().at(0).node, 0U);
  EXPECT_EQ(hosts.done<StartInput>().size(), 1U);
  hosts.say(2, ThisNode{"third"});
  hosts.say(0, ThisNode{"first"});
  hosts.pass(15 * second);  // one host is late
  EXPECT_TRUE(hosts.sent<NodeRows>(0).empty());
  hosts.say(1, ThisNode{"second"});
  for (std::uint32_t node = 0; node < 3; ++node)
    EXPECT_EQ(told(hosts, node), (Texts{"first", "second", "third"}));
}

TEST(JobOnHosts, ends_when_all_hosts_have_with_the_first_status) {
  Hosts hosts(2);
  hosts.join_all();
  hosts.say(1, Ended{3});  // after finalize: it ends nobody
  EXPECT_EQ(hosts.said(), "");
  EXPECT_TRUE(hosts.sent<End>(0).empty());
  EXPECT_FALSE(hosts.is().is_over());
  hosts.say(0, Ended{4});
  EXPECT_TRUE(hosts.is().is_over());
  EXPECT_EQ(hosts.is().outcome().status, 3);
  EXPECT_EQ(hosts.done<StopInput>().size(), 1U);
}

TEST(JobOnHosts, the_first_host_that_stops_ends_the_others_and_says_why) {
  Hosts hosts(2);
  hosts.join_all();
  hosts.say(1, Stopping{.status = 139, .sentence = "rank 1 was killed"});
  hosts.say(0, Stopping{.status = 1, .sentence = "rank 0 lost rank 1"});
  EXPECT_EQ(hosts.said(), "rank 1 was killed\n");
  const End end = hosts.sent<End>(0).at(0);
  EXPECT_FALSE(end.is_on_purpose);
  EXPECT_EQ(end.status, 139U);
  hosts.say(0, Ended{143});
  hosts.say(1, Ended{139});
  EXPECT_EQ(hosts.is().outcome().status, 139);
}

TEST(JobOnHosts, an_end_on_purpose_is_one_on_all_hosts) {
  Hosts hosts(2);
  hosts.join_all();
  hosts.say(1, Stopping{.status = 7, .sentence = "", .is_on_purpose = true});
  EXPECT_TRUE(hosts.sent<End>(0).at(0).is_on_purpose);
  EXPECT_EQ(hosts.is().outcome().status, 7);
  EXPECT_EQ(hosts.said(), "");
}

// However a host ends, the job ends and the message names the host.
TEST(JobOnHosts, one_rule_holds_for_all_ends_of_a_host) {
  const auto after = [](const auto& what, std::uint64_t time_ns) {
    Hosts hosts(2);
    hosts.join_all();
    hosts.error_text = "packet_write_wait: Broken pipe\n";
    what(hosts);
    hosts.hear(0);
    hosts.pass(time_ns);
    EXPECT_EQ(hosts.done<CloseHost>().at(0).node, 1U);
    EXPECT_TRUE(hosts.is().is_over(1));
    EXPECT_EQ(hosts.sent<End>(0).size(), 1U);
    EXPECT_TRUE(hosts.sent<End>(1).empty());
    return std::pair(hosts.said(), *hosts.is().outcome().status);
  };
  using Told = std::pair<std::string, int>;
  const auto killed = [](Hosts& hosts) {
    hosts.tell(HostProcessEnded{1, SIGKILL, 3 * second});
    hosts.tell(HostPipeEnded{1, "", 3 * second});
  };
  EXPECT_EQ(
      after(killed, 0),
      Told("the connection to host b is lost, ssh was killed by SIGKILL; the job is ended\n", 137));
  const auto only_the_pipe = [](Hosts& hosts) { hosts.tell(HostPipeEnded{1, "", 3 * second}); };
  EXPECT_EQ(after(only_the_pipe, 3 * second),
            Told("the connection to host b is lost, ssh closed its output; the job is ended\n", 1));
  const auto only_the_process = [](Hosts& hosts) {
    hosts.tell(HostProcessEnded{1, exited(255), 3 * second});
  };
  EXPECT_EQ(
      after(only_the_process, 3 * second),
      Told("the connection to host b is lost, ssh ended with status 255; the job is ended\n", 1));
  const auto garbled = [](Hosts& hosts) {
    hosts.tell(HostPipeEnded{1, "these bytes are no frame", 3 * second});
  };
  EXPECT_EQ(after(garbled, 0), Told("host b: these bytes are no frame\n", 1));
  const auto strange = [](Hosts& hosts) { hosts.say(1, NodeRows{}); };
  EXPECT_EQ(after(strange, 0), Told("host b sent an unexpected message\n", 1));
  const auto silent = [](Hosts& hosts) { hosts.pass(19 * second); };
  EXPECT_EQ(after(silent, second),
            Told("host b was silent for 20 s; it counts as dead and the job is ended\n", 1));
}

TEST(JobOnHosts, a_host_that_cannot_be_reached_says_why_and_who_has_not_come_is_given_up) {
  Hosts hosts(3);
  hosts.say(0, Hello{});
  hosts.error_text = "ssh: no route\n";
  hosts.tell(HostProcessEnded{1, exited(255), 3 * second});
  hosts.tell(HostPipeEnded{1, "", 3 * second});
  hosts.pass(0);
  EXPECT_EQ(hosts.said(), "host b: ssh cannot connect: ssh: no route\n");
  EXPECT_EQ(hosts.is().outcome().status, 1);
  EXPECT_TRUE(hosts.is().is_over(2));
  EXPECT_FALSE(hosts.is().is_over(0));  // it is told, and ends its ranks
  EXPECT_EQ(hosts.sent<End>(0).size(), 1U);
}

TEST(JobOnHosts, a_host_that_ends_early_is_no_loss_once_it_has_said_so) {
  Hosts hosts(2);
  hosts.join_all();
  hosts.say(1, Ended{0});
  hosts.tell(HostPipeEnded{1, "", 3 * second});
  hosts.tell(HostProcessEnded{1, 0, 3 * second});
  hosts.hear(0);
  hosts.pass(10 * second);
  EXPECT_EQ(hosts.said(), "");
  EXPECT_FALSE(hosts.is().outcome().status);
}

TEST(JobOnHosts, what_was_not_read_counts_as_heard) {
  Hosts hosts(1);
  hosts.join_all();
  hosts.pass(30 * second);  // we were stopped
  EXPECT_TRUE(hosts.is().is_over());
  HostLife life({.name = "a", .way = "ssh", .peer_timeout_s = 20, .start_limit_s = 22}, 0);
  EXPECT_FALSE(life.look({0, 0, true}, 30 * second));
  EXPECT_TRUE(life.look({0, 0, false}, 30 * second));
}

TEST(JobOnHosts, silence_is_no_reason_once_ssh_has_ended) {
  Hosts hosts(1);
  hosts.join_all();
  hosts.pass(18 * second);
  hosts.tell(HostProcessEnded{0, SIGKILL, 3 * second});
  hosts.pass(2 * second);
  EXPECT_FALSE(hosts.is().is_over());
  hosts.pass(second);
  EXPECT_EQ(hosts.said(),
            "the connection to host a is lost, ssh was killed by SIGKILL; the job is ended\n");
  EXPECT_EQ(hosts.is().outcome().status, 137);
}

TEST(JobOnHosts, under_a_debugger_silence_ends_nothing) {
  Hosts hosts(2, 0);
  hosts.join_all();
  EXPECT_FALSE(hosts.is().next_ns());
  hosts.pass(10'000 * second);
  EXPECT_EQ(hosts.said(), "");
  EXPECT_FALSE(hosts.is().is_over());
}

TEST(JobOnHosts, a_launcher_that_is_started_again_takes_the_place_of_its_host) {
  Hosts hosts(2);
  hosts.say(0, Hello{});
  hosts.say(0, ThisNode{"first"});
  hosts.tell(HostPipeEnded{1, "", 3 * second});
  hosts.start(1);
  hosts.say(1, Hello{});
  hosts.say(1, ThisNode{"second"});
  hosts.pass(3 * second);
  EXPECT_EQ(hosts.said(), "");
  EXPECT_EQ(told(hosts, 1), (Texts{"first", "second"}));
}

TEST(JobOnHosts, after_a_restart_others_get_the_row_that_changed_and_the_new_launcher_all) {
  Hosts hosts(3);
  hosts.join_all();
  hosts.say(2, Ended{0});  // ended early: it receives nothing more
  hosts.start(1);
  hosts.say(1, Hello{});
  EXPECT_TRUE(hosts.sent<NodeRows>(0).empty());
  hosts.say(1, ThisNode{"again"});
  EXPECT_EQ(told(hosts, 0), Texts{"again"});
  EXPECT_EQ(told(hosts, 1), (Texts{"0", "again", "2"}));
  EXPECT_TRUE(hosts.sent<NodeRows>(2).empty());
}

TEST(HostTimes, are_due_in_their_order_and_until_they_change) {
  HostTimes times;
  EXPECT_FALSE(times.first());
  times.set(2, 20);
  times.set(0, 30);
  times.set(1, 10);
  EXPECT_EQ(times.first(), 10U);
  EXPECT_EQ(times.due(20), (std::vector<std::uint32_t>{1, 2}));
  times.set(1, 40);
  times.set(2, std::nullopt);
  EXPECT_TRUE(times.due(20).empty());
  EXPECT_EQ(times.due(40), (std::vector<std::uint32_t>{0, 1}));
}

TEST(NodeDirectory, is_complete_while_each_node_is_known) {
  NodeDirectory nodes(2);
  nodes.set(0, "a");
  nodes.set(0, "b");
  EXPECT_FALSE(nodes.is_complete());
  nodes.set(1, "c");
  EXPECT_TRUE(nodes.is_complete());
  nodes.forget(1);
  nodes.forget(1);
  EXPECT_FALSE(nodes.is_complete());
  nodes.set(1, "d");
  EXPECT_TRUE(nodes.is_complete());
}

TEST(NodeDirectory, an_update_out_of_order_is_ignored) {
  NodeDirectory nodes(2);
  EXPECT_EQ(nodes.take({{0, 1, "a"}, {1, 4, "new"}}).size(), 2U);
  EXPECT_TRUE(nodes.is_complete());
  const std::vector<NodeRow> taken = nodes.take({{0, 3, "b"}, {1, 2, "old"}});
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].info, "b");
  EXPECT_TRUE(nodes.take({{0, 3, "b"}}).empty());  // a second time
  EXPECT_EQ(nodes.newer_than(3).at(0).info, "new");
}

TEST(JobOnHosts, a_term_is_passed_on_and_silent_hosts_are_given_up_after_ten_seconds) {
  Hosts hosts(2);
  hosts.join_all();
  hosts.tell(SignalCame{SIGTERM});
  hosts.tell(SignalCame{SIGTERM});
  EXPECT_EQ(hosts.sent<Signal>(0).size(), 2U);
  EXPECT_EQ(hosts.sent<Signal>(1).size(), 2U);
  hosts.pass(0);
  hosts.pass(9 * second);
  hosts.hear(0);
  EXPECT_FALSE(hosts.is().is_over(1));
  hosts.pass(second);
  EXPECT_TRUE(hosts.is().is_over(1));
  EXPECT_FALSE(hosts.is().is_over(0));  // it answers, and knows what it waits for
  EXPECT_EQ(hosts.said(), "");
  hosts.say(0, Ended{0});
  EXPECT_EQ(hosts.is().outcome().status, 143) << "of the host that was given up";
  hosts.tell(SignalCame{SIGTERM});
  EXPECT_TRUE(hosts.is().outcome().abandons_output);
}

TEST(JobOnHosts, an_explanation_takes_no_time_from_the_hosts) {
  Hosts hosts(1, 60);
  hosts.join_all();
  hosts.tell(SignalCame{SIGINT});
  EXPECT_EQ(hosts.is().next_ns(), 0U);
  hosts.pass(3 * second);  // in which it is made
  hosts.pass(9 * second);
  EXPECT_FALSE(hosts.is().is_over());
  hosts.pass(second);
  EXPECT_TRUE(hosts.is().is_over());
}

TEST(JobOnHosts, processes_to_hosts_are_killed_if_one_of_them_cannot_be_heard) {
  Hosts hosts(2);
  hosts.tell(Failed{{Errc::out_of_memory, "no epoll entry"}, 1});
  EXPECT_EQ(hosts.said(), "no epoll entry\n");
  const auto closed = hosts.done<CloseHost>();
  ASSERT_EQ(closed.size(), 2U);
  EXPECT_TRUE(closed[0].is_killed && closed[1].is_killed);
}

TEST(HeardSignals, count_once_however_many_ways_they_come) {
  using Way = HeardSignals::Way;
  HeardSignals heard;
  EXPECT_TRUE(heard.counts(SIGTERM, Way::to_us));
  EXPECT_FALSE(heard.counts(SIGTERM, Way::from_launcher));
  EXPECT_FALSE(heard.counts(SIGTERM, Way::by_end));
  EXPECT_TRUE(heard.counts(SIGINT, Way::from_conductor));
  EXPECT_TRUE(heard.counts(SIGTERM, Way::from_launcher));  // a second one
  EXPECT_FALSE(heard.counts(SIGTERM, Way::to_us));
}

TEST(JobOnHosts, an_interrupt_and_a_quit_say_why) {
  Hosts hosts(1);
  hosts.join_all();
  hosts.tell(SignalCame{SIGQUIT});
  hosts.tell(SignalCame{SIGINT});
  hosts.tell(SignalCame{SIGINT});
  EXPECT_EQ(hosts.done<Explain>(), (std::vector{Explain::at_length, Explain::shortly}));
}

TEST(JobOnHosts, a_timeout_gives_124_and_says_why_while_the_ranks_live) {
  Hosts hosts(2, 20, std::chrono::milliseconds(2500));
  hosts.join_all();
  hosts.pass(2'500'000'000);
  EXPECT_EQ(hosts.said(), "the job runs longer than --timeout 2.5 s; its 2 ranks are ended\n");
  EXPECT_EQ(hosts.done<Explain>(), std::vector{Explain::at_length});
  EXPECT_EQ(hosts.sent<End>(1).at(0).status, 124U);
}

TEST(JobOnHosts, each_host_is_told_of_one_rank_elsewhere_that_took_no_part) {
  Hosts hosts(4);
  hosts.join_all();
  hosts.say(3, Ended{0});
  hosts.say(1, Left{1});
  EXPECT_EQ(hosts.sent<Left>(0).size(), 1U);
  EXPECT_TRUE(hosts.sent<Left>(1).empty());
  EXPECT_EQ(hosts.sent<Left>(2).size(), 1U);
  EXPECT_TRUE(hosts.sent<Left>(3).empty());  // it is over
  hosts.say(2, Left{2});
  EXPECT_TRUE(hosts.sent<Left>(0).empty());
  EXPECT_EQ(hosts.sent<Left>(1).size(), 1U);  // it knew only of its own
  EXPECT_TRUE(hosts.sent<Left>(2).empty());
}

TEST(JobOnHosts, hosts_that_lack_the_same_rows_get_one_frame) {
  Hosts hosts(3);
  for (std::uint32_t node = 0; node < 3; ++node) hosts.say(node, Hello{});
  for (std::uint32_t node = 0; node < 3; ++node) hosts.say(node, ThisNode{"x"});
  ASSERT_EQ(hosts.done<Send>().size(), 1U);
  EXPECT_EQ(hosts.done<Send>()[0].to, (std::vector<std::uint32_t>{0, 1, 2}));
  hosts.tell(SignalCame{SIGTERM});
  EXPECT_EQ(hosts.done<Send>().size(), 2U);
  EXPECT_EQ(hosts.sent<Signal>(2).size(), 1U);
}

TEST(JobOnHosts, the_end_of_the_launcher_ends_the_job) {
  Hosts hosts(2);
  hosts.join_all();
  hosts.tell(LauncherLost{"the launcher was killed"});
  EXPECT_EQ(hosts.said(), "the launcher was killed\n");
  EXPECT_EQ(hosts.is().outcome().status, 137);
  EXPECT_TRUE(hosts.is().outcome().has_lost_launcher);
  EXPECT_EQ(hosts.sent<End>(0).size(), 1U);
}

}  // namespace
}  // namespace gondwana::launch
