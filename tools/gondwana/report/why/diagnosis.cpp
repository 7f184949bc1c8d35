#include "report/why/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/debug_hint.hpp"
#include "observe/stacks/words.hpp"
#include "report/why/oversubscription.hpp"
#include "report/why/rank_text.hpp"
#include "report/why/sentences.hpp"
#include "report/why/slow_ranks.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::why {
namespace {

using jobs::JobSeen;
using jobs::RankSeen;

// Moves the ranks that satisfy the condition out of `ranks` and returns them.
Ranks taken_from(Ranks& ranks, auto&& condition) {
  Ranks taken;
  std::ranges::copy_if(ranks, std::back_inserter(taken), condition);
  std::erase_if(ranks, condition);
  return taken;
}

bool is_whole_node(const JobSeen& job, const Ranks& ranks, const jobs::NodeSeen& node) {
  if (job.nodes == 1) return false;
  return std::ranges::all_of(node.node_ranks(), [&](Rank rank) {
    return std::ranges::find(ranks, index(rank)) != ranks.end();
  });
}

class Findings {
 public:
  Findings(const JobSeen& job, Stacks stacks) : job_(&job), stacks_(stacks), graph_(job) {}

  Diagnosis make() {
    if (is_over(*job_)) return diagnose_end();
    find_lost();
    find_stopped();
    find_stopped_agents();
    find_absent();
    find_cycles();
    find_single();
    for (std::string& sentence : find_oversubscribed(*job_)) say(std::move(sentence), {});
    if (diagnosis_.culprits.empty())
      if (const auto slow = find_slow(*job_)) say(slow->message, slow->ranks);
    report_other_nodes();
    if (diagnosis_.sentences.empty()) report_continuing();
    return std::move(diagnosis_);
  }

 private:
  // Appends the waits of the ranks.
  template <typename... Arguments>
  void blame(const Sentence<std::string_view, Arguments...>& sentence, const Ranks& culprits,
             const std::type_identity_t<Arguments>&... arguments) {
    if (!culprits.empty())
      say(text_of(sentence, culprits, arguments...) + waiting_in(*job_), culprits);
  }

  void say(std::string sentence, const Ranks& culprits) {
    diagnosis_.sentences.push_back(std::move(sentence));
    diagnosis_.culprits.insert(diagnosis_.culprits.end(), culprits.begin(), culprits.end());
  }

  Ranks ranks_that_do(Activity what) const {
    return ranks_that(*job_, [what](const RankSeen& rank) { return activity_of(rank) == what; });
  }

  Ranks lost_ranks() const { return ranks_that_do(Activity::lost); }

  // The diagnosis of a job in which no rank can wait any more.
  Diagnosis diagnose_end() {
    const Ranks there = ranks_that(*job_, [](const RankSeen& rank) {
      return rank.process == RankSeen::Process::alive || rank.process == RankSeen::Process::stopped;
    });
    const Ranks lost = lost_ranks();
    std::string sentence = there.empty() ? std::string(sentences::ended_meanwhile)
                                         : text_of(sentences::still_there, there);
    if (!lost.empty()) sentence += text_of(sentences::left_silently, lost);
    say(std::move(sentence), lost);
    return std::move(diagnosis_);
  }

  // A job may continue after deaths.
  void find_lost() {
    Ranks lost = lost_ranks();
    const Ranks dead = ranks_that(*job_, [](const RankSeen& rank) { return rank.is_dead; });
    std::erase_if(lost, [&](std::uint32_t rank) { return std::ranges::count(dead, rank) != 0; });
    blame(sentences::lost, lost);
    blame(sentences::dead, dead);
  }

  // Finds ranks that have not joined: others are starting, or wait for them.
  void find_absent() {
    const Ranks starting = ranks_that_do(Activity::starting);
    Ranks absent = ranks_that_do(Activity::absent);
    const auto is_awaited = [this](std::uint32_t rank) {
      return std::ranges::find(graph_.ends(), rank) != graph_.ends().end();
    };
    if (starting.empty()) std::erase_if(absent, std::not_fn(is_awaited));
    blame(sentences::absent, absent);
    if (!starting.empty())
      say(text_of(sentences::starting, starting) + (absent.empty() ? waiting_in(*job_) : ""),
          starting);
  }

  void find_stopped() {
    const Ranks stopped = ranks_that_do(Activity::stopped);
    if (stopped.empty()) return;
    std::string node;
    for (const jobs::NodeSeen& each : job_->found)
      if (is_whole_node(*job_, stopped, each)) node += fmt::format(" (all of node {})", each.node);
    std::string pids;
    pid_t tracer = 0;
    for (const RankSeen& rank : job_->seen) {
      if (activity_of(rank) != Activity::stopped) continue;
      pids += fmt::format(" {}", rank.pid);
      tracer = std::max(tracer, rank.tracer);
    }
    tracer != 0 ? blame(sentences::debugged, stopped, node, tracer)
                : blame(sentences::stopped, stopped, node, pids);
  }

  void find_stopped_agents() {
    for (const jobs::NodeSeen& node : job_->found) {
      if (!node.agent || !node.agent->is_stopped) continue;
      const pid_t pid = node.agent->pid;
      const pid_t tracer = node.agent->tracer;
      const std::string how = tracer != 0
                                  ? sentences::agent_debugged(node.node, node.host, pid, tracer)
                                  : sentences::agent_stopped(node.node, node.host, pid, pid);
      say(how + waiting_in(*job_), {});
    }
  }

  // Finds ranks that wait for each other.
  void find_cycles() {
    for (const Ranks& cycle : graph_.cycles()) {
      std::map<std::tuple<std::uint32_t, std::string>, Ranks> calls;  // by team and call
      bool are_collective = true;
      for (const std::uint32_t rank : cycle) {
        const jobs::WaitSeen& wait = *graph_.rank(rank).wait;
        are_collective = are_collective && wait.team != Waiting::no_team;
        calls[{wait.team, wait.call}].push_back(rank);
      }
      are_collective ? report_collectives(calls) : report_cycle(cycle);
    }
  }

  void report_cycle(const Ranks& cycle) {
    std::string each;
    for (const std::uint32_t rank : cycle) {
      const jobs::WaitSeen& wait = *graph_.rank(rank).wait;
      const std::string target = wait.team != Waiting::no_team
                                     ? sentences::others_of_team(team_name(wait.team))
                                     : sentences::one_rank(wait.peer);
      add_to(each, sentences::in_cycle(rank, call_of(wait), target));
    }
    say(text_of(sentences::cycle, cycle, each), cycle);
  }

  // Blames the collective with the fewest ranks; if several have as few, the last one.
  void report_collectives(const std::map<std::tuple<std::uint32_t, std::string>, Ranks>& calls) {
    const auto fewer = [](const auto& one, const auto& other) {
      return one.second.size() != other.second.size() ? one.second.size() < other.second.size()
                                                      : one.second.front() > other.second.front();
    };
    const auto odd = std::ranges::min_element(calls, fewer);
    const auto in_place = [](const auto& call) {
      const auto& [team, name] = call.first;
      return text_of(sentences::in_collective, call.second, name, team_name(team));
    };
    std::string others;
    bool is_same_team = true;
    for (auto call = calls.begin(); call != calls.end(); ++call) {
      if (call == odd) continue;
      is_same_team = is_same_team && std::get<0>(call->first) == std::get<0>(odd->first);
      add_to(others, in_place(*call));
    }
    // Debug checks would have reported this in OpenSHMEM. GASNet-EX has no such check.
    const bool names_it = std::ranges::all_of(
        calls, [](const auto& call) { return std::get<1>(call.first).starts_with("shmem"); });
    const std::string hint = names_it ? "; " + suggest_debug(Environment()) : "";
    const auto& sentence = is_same_team ? sentences::other_order : sentences::other_team;
    say(sentence(in_place(*odd), others, hint), odd->second);
  }

  // Ranks at the ends of the wait graph: it is unknown which ranks they wait for.
  void find_single() {
    const Ranks& ends = graph_.ends();
    const auto those = [&](Activity what) {
      Ranks ranks;
      for (const std::uint32_t rank : ends)
        if (activity_of(graph_.rank(rank)) == what) ranks.push_back(rank);
      return ranks;
    };
    const auto polls = [this](std::uint32_t rank) { return !graph_.rank(rank).polls.empty(); };
    Ranks silent = those(Activity::silent);
    const Ranks copying = taken_from(
        silent, [this](std::uint32_t rank) { return graph_.rank(rank).device_copies > 0; });
    Ranks busy = those(Activity::work);
    Ranks polling = taken_from(silent, polls);
    std::ranges::copy(taken_from(busy, polls), std::back_inserter(polling));
    std::ranges::sort(polling);
    if (!polling.empty()) report_polling(polling);
    blame(sentences::copying, copying);
    if (!silent.empty()) report_silent(silent);
    blame(sentences::works_on, busy);
    Ranks alone = those(Activity::wait);
    const Ranks in_transfer =
        taken_from(alone, [this](std::uint32_t rank) { return graph_.rank(rank).pending > 0; });
    if (!in_transfer.empty()) report_transfers(in_transfer);
    if (!alone.empty()) all_nodes_are_seen() ? report_forgotten(alone) : report_remote(alone);
  }

  void report_polling(const Ranks& polling) {
    std::map<std::pair<std::string, bool>, Ranks> calls;
    for (const std::uint32_t rank : polling) {
      const RankSeen& seen = graph_.rank(rank);
      // Counted calls may do work.
      calls[{seen.polls, activity_of(seen) == Activity::silent}].push_back(rank);
    }
    std::string each;
    for (const auto& [call, ranks] : calls) {
      const auto& target = call.second ? sentences::polls : sentences::calls;
      const auto& it = call.second ? sentences::it_polls : sentences::it_calls;
      add_to(each,
             calls.size() > 1 ? text_of(target, ranks, call.first) : it(ranks.size(), call.first));
    }
    blame(sentences::polling, polling, each, format_seconds(job_->watched_s));
  }

  void report_silent(const Ranks& silent) {
    double computed = 0;  // or waited for a processor
    for (const std::uint32_t rank : silent) {
      const RankSeen& seen = graph_.rank(rank);
      computed += seen.computed + (seen.system_call.empty() ? seen.delayed : 0);
    }
    const bool compute = computed > 0.1 * static_cast<double>(silent.size());
    const bool is_known = graph_.rank(silent.front()).pid != 0;
    const bool may_poll = stacks_ == Stacks::unseen;
    const sentences::Silent& sentence = !is_known  ? sentences::silent
                                        : !compute ? sentences::sleeping
                                        : may_poll ? sentences::computing_or_polling
                                                   : sentences::computing;
    // Added only if it is the same for all; otherwise the table shows it.
    std::string where = compute ? "" : graph_.rank(silent.front()).system_call;
    for (const std::uint32_t rank : silent)
      if (graph_.rank(rank).system_call != where) where.clear();
    if (!where.empty()) where = ", in " + where;
    blame(sentence, silent, where, format_seconds(job_->watched_s));
  }

  void report_transfers(const Ranks& ranks) {
    std::uint64_t pending = 0;
    for (const std::uint32_t rank : ranks) pending += graph_.rank(rank).pending;
    const std::string operations = sentences::pending_operations(pending, pending);
    say(text_of(sentences::in_transfer, ranks, operations) + waiting_in(*job_) +
            describe_device_copies(),
        {});
  }

  // The network may be waiting for these copies.
  std::string describe_device_copies() const {
    const Ranks ranks = ranks_that(
        *job_, [](const RankSeen& rank) { return rank.device_copies + rank.served_copies > 0; });
    return ranks.empty() ? "" : text_of(sentences::pending_copies, ranks);
  }

  bool all_nodes_are_seen() const { return job_->found.size() == job_->nodes; }

  void report_remote(const Ranks& alone) {
    say(text_of(sentences::waits_elsewhere, alone) + waiting_in(*job_), {});
  }

  void report_forgotten(const Ranks& alone) {
    std::map<std::string, Ranks> calls;
    bool describes = true;
    for (const std::uint32_t rank : alone) {
      const jobs::WaitSeen& wait = *graph_.rank(rank).wait;
      calls[call_and_value_of(wait)].push_back(rank);
      describes = describes && !stacks::format_awaited(wait).empty();
    }
    std::string each;
    for (const auto& [call, ranks] : calls) add_to(each, text_of(sentences::waits_in, ranks, call));
    const Ranks left = ranks_that_do(Activity::left);
    const std::size_t others = job_->seen.size() - alone.size() - left.size();
    std::string rest(others != 0        ? sentences::others_wait_too
                     : alone.size() > 1 ? sentences::all_wait
                                        : sentences::no_other_rank);
    if (others != 0) rest += waiting_in(*job_);
    if (!left.empty()) rest += text_of(sentences::has_left, left);
    const auto& sentence = describes ? sentences::no_rank_writes : sentences::no_rank_acts;
    say(sentence(each, rest), alone);
  }

  void report_other_nodes() {
    const std::size_t unseen = job_->nodes - job_->found.size();
    if (unseen == 0) return;
    const std::string reason = job_->complaints.empty()
                                   ? std::string(sentences::perhaps_elsewhere)
                                   : fmt::format("{}", fmt::join(job_->complaints, "; "));
    say(sentences::unseen_nodes(unseen, unseen, job_->nodes, reason), {});
  }

  void report_continuing() {
    const Ranks working = ranks_that(*job_, [](const RankSeen& rank) {
      return activity_of(rank) == Activity::work || activity_of(rank) == Activity::silent;
    });
    say(working.empty() ? std::string(sentences::continues) : text_of(sentences::works, working),
        {});
  }

  const JobSeen* job_;
  Stacks stacks_;
  WaitGraph graph_;
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis diagnose(const JobSeen& job, Stacks stacks) {
  return Findings(job, stacks).make();
}

}  // namespace gondwana::why
