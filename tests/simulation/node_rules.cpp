#include "simulation/node_rules.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>
#include <variant>
#include <vector>

#include "base/exit_status.hpp"

namespace gondwana::simulation {
namespace {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM;
}

std::string consequence(std::uint32_t others) {
  if (others == 0) return {};
  return others == 1 ? "; the other rank is ended"
                     : fmt::format("; the other {} ranks are ended", others);
}

std::string replaced(std::uint32_t rank, pid_t pid, const std::string& host) {
  return fmt::format("rank {} on host {} (pid {}) replaced its program (exec)", rank, host, pid);
}

// The sentences that a guardian says or sends upwards to end the job; an empty one counts upwards.
std::vector<std::string> words_in(const NodeActions& actions, std::vector<int>& status) {
  std::vector<std::string> words;
  for (const NodeAction& action : actions)
    if (const auto* stopping = std::get_if<Stopping>(&action)) {
      words.push_back(stopping->sentence);
      status.push_back(static_cast<int>(stopping->status));
    } else if (const auto* said = std::get_if<Said>(&action)) {
      words.push_back(said->sentence);
    }
  return words;
}

}  // namespace

NodeRules::NodeRules(const Job& job, std::string host, Time began)
    : job_(job), host_(std::move(host)), began_(began) {}

NodeRules::Expected NodeRules::expect(const RankEnded& ended, const NodeBefore& before,
                                      const JobOnNode& after) const {
  const int status = exit_status(ended.wait_status);
  const RankState state = ended.remains.state;
  const bool is_signal = WIFSIGNALED(ended.wait_status);
  const bool ends =
      is_signal || (status != 0 ? state != RankState::finalized
                                : state == RankState::joined || state == RankState::running);
  Expected expected{.ends = ends ? Ends::must : Ends::no,
                    .status = ends && status == 0 ? exit_failure : status,
                    .settles_later = true,
                    .is_cause = ends};
  if (!before.is_idle) expected.status = status;
  expected.begins =
      after.ranks()[ended.rank].is_replaced
          ? replaced(after.ranks().global(ended.rank), after.ranks()[ended.rank].pid, host_)
          : fmt::format("rank {} on host {} (pid {}) {}", after.ranks().global(ended.rank), host_,
                        after.ranks()[ended.rank].pid, describe_exit(ended.wait_status));
  expected.ending = consequence(before.all_alive - 1);
  return expected;
}

NodeRules::Expected NodeRules::expect(const SignalCame& signal) const {
  if (!asks_to_end(signal.number)) return {};
  const bool tells = job_.share.has_conductor() && !signal.passed_on;
  if (!tells) return {.ends = Ends::must};
  return {.ends = Ends::must,
          .status = exit_signal_base + signal.number,
          .is_cause = true,
          .begins = fmt::format("the launcher on host {} has received {}; the job is ended", host_,
                                name_of_signal(signal.number))};
}

NodeRules::Expected NodeRules::expect(const NodeEvent& event, const NodeBefore& before,
                                      const JobOnNode& after, Time now) const {
  const bool has_conductor = job_.share.has_conductor();
  if (const auto* ended = std::get_if<RankEnded>(&event)) return expect(*ended, before, after);
  if (const auto* signal = std::get_if<SignalCame>(&event)) return expect(*signal);
  if (const auto* exit = std::get_if<protocol::GlobalExit>(&event))
    return {.ends = Ends::must,
            .status = exit->status & 0xff,
            .settles_later = exit->is_on_purpose != 1,
            .overrides = true,
            .is_cause = true};
  if (const auto* end = std::get_if<EndElsewhere>(&event))
    return {.ends = end->is_heard ? Ends::may : Ends::must};
  if (const auto* lost = std::get_if<LauncherLost>(&event))
    return {.ends = Ends::must,
            .status = exit_signal_base + SIGKILL,
            .settles_later = true,
            .is_cause = true,
            .begins = lost->sentence};
  if (const auto* failed = std::get_if<OutputFailed>(&event))
    return failed->reason != EPIPE ? Expected{}
                                   : Expected{.ends = Ends::must,
                                              .status = exit_signal_base + SIGPIPE,
                                              .settles_later = true,
                                              .is_cause = true};
  if (const auto* failed = std::get_if<Failed>(&event))
    return {.ends = Ends::must,
            .status = failed->status,
            .settles_later = true,
            .is_cause = true,
            .begins = (has_conductor ? "host " + host_ + ": " : "") + failed->error.text};
  if (const auto* seen = std::get_if<DeadlockSeen>(&event))
    return {.ends = seen->any_leaves ? Ends::must : Ends::no,
            .status = exit_failure,
            .is_cause = true,
            .begins = seen->sentence};
  if (const auto* seen = std::get_if<NobodyCanGoOn>(&event))
    return {.ends = Ends::must, .status = exit_failure, .is_cause = true, .begins = seen->sentence};
  if (const auto* lost = std::get_if<AgentLost>(&event);
      lost != nullptr && !lost->error_text.empty())
    return {
        .ends = Ends::must, .status = exit_failure, .is_cause = true, .begins = lost->error_text};
  if (const auto* lost = std::get_if<ImageLost>(&event);
      lost != nullptr && after.ranks()[lost->rank].is_replaced)
    return {.ends = Ends::may,  // the second time
            .status = exit_failure,
            .is_cause = true,
            .begins = replaced(after.ranks().global(lost->rank), lost->pid, host_),
            .ending = consequence(before.all_alive - 1)};
  // What these say is looked at by the node, which knows what has happened.
  if (std::holds_alternative<RanksSeen>(event))
    return {.ends = Ends::may, .status = exit_failure, .is_cause = true, .begins = "?"};
  if (const auto* seen = std::get_if<StarterSeen>(&event))
    return {
        .ends = Ends::may,
        .status = exit_failure,
        .is_cause = true,
        .begins = fmt::format("rank {} on host {} (pid", after.ranks().global(seen->rank), host_)};
  if (std::holds_alternative<Tick>(event)) {
    const bool is_late = job_.timeout && now >= began_ + Time(job_.timeout->count()) * ms;
    if (is_late && before.is_idle)
      return {.ends = Ends::must,
              .status = exit_timeout,
              .overrides = true,
              .is_cause = true,
              .begins = "the job runs longer than --timeout"};
    if (before.alive == 0) return {.ends = Ends::must};
  }
  return {};
}

std::optional<std::string> NodeRules::check(const NodeEvent& event, const NodeBefore& before,
                                            const JobOnNode& after, const NodeActions& actions,
                                            Time now) {
  const Expected expected = expect(event, before, after, now);
  const bool ends_now = before.is_idle && !after.end().is_idle();
  if (before.is_idle && !ends_now && expected.ends == Ends::must)
    return "an event that ends the job has not ended it";
  if (ends_now && expected.ends == Ends::no) return "the job ends without a reason";
  if (auto wrong = check_status(expected, before, after)) return wrong;
  if (auto wrong = check_signals(event, before, after, actions)) return wrong;
  return check_words(expected, before, ends_now, actions);
}

std::optional<std::string> NodeRules::check_status(const Expected& expected,
                                                   const NodeBefore& before,
                                                   const JobOnNode& after) const {
  const std::optional<int> status = after.end().outcome().status;
  const bool ends_now = before.is_idle && !after.end().is_idle();
  const bool counts = ends_now || expected.settles_later;
  const bool is_first = !before.status && counts && expected.status.value_or(0) != 0;
  const std::optional<int> right =
      is_first || (expected.overrides && ends_now) ? expected.status : before.status;
  if (status == right) return std::nullopt;
  return fmt::format("the status is {} and should be {}", status.value_or(-1), right.value_or(-1));
}

std::optional<std::string> NodeRules::check_signals(const NodeEvent& event,
                                                    const NodeBefore& before,
                                                    const JobOnNode& after,
                                                    const NodeActions& actions) {
  for (const NodeAction& action : actions) {
    const bool is_for_all =
        std::holds_alternative<SignalAll>(action) || std::holds_alternative<EndOnPurpose>(action);
    const bool is_end = std::holds_alternative<EndOnPurpose>(action);
    if (before.is_over && is_for_all && !is_end) return "processes are signalled after the end";
    if (before.is_idle && std::holds_alternative<SignalAll>(action))
      return "all processes are signalled, and the job does not end";
    if (std::holds_alternative<SignalRanks>(action) && !std::holds_alternative<SignalCame>(event))
      return "ranks are signalled, and no signal has come";
  }
  const auto* signal = std::get_if<SignalCame>(&event);
  if (signal == nullptr || signal->number == SIGUSR1) return std::nullopt;
  const Ending& ending = after.end().ending();
  const bool kills = ending.state() == Ending::State::killing || ending.is_over();
  if (asks_to_end(signal->number) && !before.is_idle)
    return kills ? std::nullopt : std::optional<std::string>("a second signal does not kill");
  if (kills && before.is_idle) return "a first signal kills";
  const auto passes = [&](int number) {
    return std::ranges::any_of(actions, [number](const NodeAction& action) {
      const auto* to_ranks = std::get_if<SignalRanks>(&action);
      return to_ranks != nullptr && to_ranks->number == number;
    });
  };
  if (!passes(signal->number)) return "a signal has come, and is not passed on to the ranks";
  if (asks_to_end(signal->number) && !passes(SIGCONT)) return "a stopped rank cannot hear a signal";
  return std::nullopt;
}

std::optional<std::string> NodeRules::check_words(const Expected& expected,
                                                  const NodeBefore& before, bool ends_now,
                                                  const NodeActions& actions) {
  std::vector<int> status;
  const std::vector<std::string> words = words_in(actions, status);
  const bool has_conductor = job_.share.has_conductor();
  if (words.empty()) {
    const bool is_told = has_conductor || !expected.begins.empty();
    if (ends_now && expected.is_cause && is_told) return "the job ends, and no host is told why";
    if (ends_now && expected.is_cause)
      cause_ = {.what = "a rank ends the job",
                .status = {expected.status.value_or(0)},
                .begins = "",
                .overrides = expected.overrides};
    return std::nullopt;
  }
  if (words.size() > 1) return "two reasons at once: " + words[0] + ", " + words[1];
  if (!ends_now && before.is_idle) {
    const bool is_information = !has_conductor || status.empty();
    return is_information ? std::nullopt : std::optional<std::string>("a reason, and no end");
  }
  const bool is_reason =
      expected.is_cause && !expected.begins.empty() && words[0].starts_with(expected.begins);
  if (!ends_now && status.empty() && !is_reason) return std::nullopt;  // about another thing
  if (!expected.is_cause) return "the job ends, and a reason is told: " + words[0];
  if (has_conductor && status.at(0) != expected.status.value_or(0))
    return fmt::format("another host is told status {}, and it is {}", status[0],
                       expected.status.value_or(0));
  Cause cause{.what = words[0].empty() ? "a host ended the job without a word" : words[0],
              .status = {expected.status.value_or(0)},
              .begins = words[0]};
  cause.overrides = expected.overrides && !has_conductor;
  const bool is_right = expected.begins == "?" || (words[0].starts_with(expected.begins) &&
                                                   words[0].ends_with(expected.ending));
  if (before.is_idle ? !is_right : !words[0].empty() && !is_right)
    return fmt::format("\"{}\" is told, not \"{}...{}\"", words[0], expected.begins,
                       expected.ending);
  cause_ = std::move(cause);
  return std::nullopt;
}

}  // namespace gondwana::simulation
