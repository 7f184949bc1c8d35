// How ranks of a foreign launcher join, without a socket, a launcher or a clock.
#include "bootstrap/join_plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bootstrap/join_foreign.hpp"

namespace gondwana {
namespace {

using Ranks = std::vector<std::uint32_t>;

ProcessInfo info_on(const std::string& host) {
  return {{host, "net", "user"}, host, 0, {}};
}

// A rank that joins, in a job whose ranks are on these hosts.
struct Joining {
  Joining(std::uint32_t rank, std::vector<std::string> on_hosts, std::uint32_t node_ranks)
      : hosts(std::move(on_hosts)) {
    ProcessInfo info = info_on(hosts[rank]);
    info.node_ranks = node_ranks;
    plan.emplace(JoinPlan::Self{rank, static_cast<std::uint32_t>(hosts.size()), info, "mpirun",
                                "use --map-by slot"});
    first = info_on(hosts[0]);
    first.node_ranks = node_ranks;
    first.invitation = Invitation{"00aa", 42, 7};
  }

  // Answers steps until the place is known, or why there is none.
  JoinStep join() {
    JoinStep step = plan->handle(JoinBegins{});
    for (;;) {
      if (const auto* opens = std::get_if<OpenServer>(&step)) {
        opened.push_back(opens->tag);
        step = plan->handle(ServerOpened{{"00bb", opens->tag, 9}});
      } else if (const auto* own = std::get_if<Publish>(&step)) {
        published = own->info;
        step = plan->handle(Published{});
      } else if (std::holds_alternative<WaitForAll>(step)) {
        step = plan->handle(AllWaited{30, missing, missing.empty()});
      } else if (const auto* wanted = std::get_if<Fetch>(&step)) {
        fetched.push_back(wanted->rank);
        step = plan->handle(
            Fetched{wanted->rank, wanted->rank == 0 ? first : info_on(hosts[wanted->rank])});
      } else if (const auto* stays = std::get_if<StayNamed>(&step)) {
        stayed_ms = stays->ms;
        step = plan->handle(Stayed{});
      } else {
        return step;
      }
    }
  }

  std::vector<std::string> hosts;
  ProcessInfo first;
  Ranks missing;  // at the end of the wait
  std::optional<JoinPlan> plan;
  std::optional<ProcessInfo> published;
  std::vector<std::uint64_t> opened;  // servers, by tag
  Ranks fetched;
  std::uint32_t stayed_ms = 0;
};

TEST(JoinPlan, the_first_rank_invites_all_and_makes_the_memory) {
  Joining first(0, {"a", "a"}, 0);
  const JoinStep step = first.join();
  const auto& host = std::get<BeHost>(step);
  EXPECT_EQ(first.published->invitation->address, "00bb");
  EXPECT_EQ(first.opened, std::vector<std::uint64_t>{0});  // once
  ASSERT_EQ(host.nodes.size(), 1U);
  EXPECT_EQ(host.nodes[0].ranks, 2U);
  EXPECT_EQ(host.tag, 42U);
  EXPECT_FALSE(first.plan->is_loopback_enough());  // nothing goes over a network
  EXPECT_EQ(first.stayed_ms, 0U);
}

TEST(JoinPlan, another_rank_of_the_machine_reads_two_infos) {
  Joining last(2, {"a", "a", "a"}, 0);
  const JoinStep step = last.join();
  const auto& guest = std::get<BeGuest>(step);
  EXPECT_EQ(guest.host, 0U);
  EXPECT_EQ(guest.invitation->tag, 42U);
  EXPECT_FALSE(last.published->invitation);
  EXPECT_EQ(last.fetched, (Ranks{0, 2}));
  EXPECT_TRUE(last.opened.empty());
}

TEST(JoinPlan, on_several_hosts_the_first_rank_of_each_makes_memory_and_the_others_wait) {
  Joining host(2, {"a", "a", "b", "b"}, 0);
  const JoinStep step = host.join();
  const auto& made = std::get<BeHost>(step);
  ASSERT_EQ(made.nodes.size(), 2U);
  EXPECT_EQ(made.node, 1U);
  EXPECT_EQ(host.opened, std::vector<std::uint64_t>{42});
  Joining guest(3, {"a", "a", "b", "b"}, 0);
  const JoinStep other = guest.join();
  EXPECT_EQ(std::get<BeGuest>(other).host, 2U);
  EXPECT_FALSE(std::get<BeGuest>(other).invitation);  // it comes in the second round
  EXPECT_FALSE(guest.plan->is_loopback_enough());
}

TEST(JoinPlan, nodes_on_one_machine_need_no_other_network) {
  Joining host(2, {"a", "a", "a", "a"}, 2);
  const JoinStep step = host.join();
  EXPECT_EQ(std::get<BeHost>(step).nodes.size(), 2U);
  EXPECT_TRUE(host.plan->is_loopback_enough());
}

TEST(JoinPlan, who_has_not_come_is_named) {
  Joining first(0, {"a", "b", "a"}, 0);
  first.missing = {1, 2};
  const JoinStep step = first.join();
  EXPECT_TRUE(std::get<Error>(step).text.starts_with(
      "of 3 ranks these did not join within 30 s (GONDWANA_JOIN_TIMEOUT): 1, 2. Did mpirun "
      "start the same program in every process?"));
  EXPECT_GT(first.stayed_ms, 0U) << "others that give up a moment later would miss this rank";
}

TEST(JoinPlan, a_first_rank_that_invites_nobody_and_ranks_out_of_order_are_refused) {
  Joining second(1, {"a", "a"}, 0);
  second.first.invitation.reset();
  const JoinStep step = second.join();
  EXPECT_EQ(std::get<Error>(step).text, "rank 0 sent no invitation");
  Joining mixed(0, {"a", "b", "a"}, 0);
  const JoinStep other = mixed.join();
  EXPECT_NE(std::get<Error>(other).text.find("use --map-by slot"), std::string::npos);
}

TEST(Guests, each_rank_of_the_node_with_the_password_comes_once) {
  constexpr NodeShare share{.ranks = 3, .first = 4, .node = 1, .nodes = 2, .job_ranks = 7};
  Guests guests(share, 9);
  EXPECT_FALSE(guests.admit(8, 5));  // the password
  EXPECT_FALSE(guests.admit(9, 3));  // of another node
  EXPECT_FALSE(guests.admit(9, 7));
  EXPECT_FALSE(guests.admit(9, 4));  // the host itself
  EXPECT_EQ(guests.missing(), (Ranks{5, 6}));
  EXPECT_EQ(guests.admit(9, 6), 2U);
  EXPECT_FALSE(guests.admit(9, 6));
  EXPECT_EQ(guests.missing(), Ranks{5});
}

TEST(way_to_join, a_nested_launcher_may_have_left_only_one_that_works) {
  StartedBy by;
  EXPECT_EQ(way_to_join(by, 0), JoinWay::alone);
  EXPECT_EQ(way_to_join(by, 1), JoinWay::pmix);
  by.claim = Claim{"SIZE", 4};
  EXPECT_EQ(way_to_join(by, 0), JoinWay::none);
  by.pmi1 = Pmi1Start{3, 0, 4};
  EXPECT_EQ(way_to_join(by, 1), JoinWay::pmi1);
  EXPECT_EQ(way_to_join(by, 4), JoinWay::pmix);
}

}  // namespace
}  // namespace gondwana
