#include "report/why/rank_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "observe/stacks/words.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::why {

using jobs::JobSeen;
using jobs::RankSeen;

namespace {

constexpr std::uint32_t world = 0;  // the team number of the world team

}  // namespace

std::string team_name(std::uint32_t team) {
  return team == world ? "the world team" : fmt::format("team {}", team);
}

void add_to(std::string& list, const std::string& item, std::string_view before) {
  if (!list.empty()) list += before;
  list += item;
}

std::string call_of(const jobs::WaitSeen& wait) {
  return wait.word.empty() ? wait.call : fmt::format("{} on {}", wait.call, wait.word);
}

std::string call_and_value_of(const jobs::WaitSeen& wait) {
  std::string text = call_of(wait);
  if (const std::string value = stacks::format_value(wait); !value.empty())
    text += ", which " + value;
  if (const std::string awaited = stacks::format_awaited(wait); !awaited.empty())
    text += ", until " + awaited;
  return text;
}

std::string waiting_in(const JobSeen& job) {
  std::map<std::string, std::pair<Ranks, double>> by_call;
  for (const RankSeen& rank : job.seen) {
    if (activity_of(rank) != Activity::wait) continue;
    auto& [ranks, longest] = by_call[call_of(*rank.wait)];
    ranks.push_back(rank.rank);
    longest = std::max(longest, rank.wait->seconds);
  }
  std::string text;
  for (const auto& [call, waits] : by_call)
    add_to(text, text_of(sentences::waits_in_for, waits.first, call, format_seconds(waits.second)));
  return text.empty() ? "" : "; " + text;
}

std::string format_seconds(double seconds) {
  if (seconds < 0.95) return fmt::format("{:.0f} ms", 1000 * seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

namespace {

std::string describe_activity(const RankSeen& rank) {
  namespace state = sentences::state;
  switch (activity_of(rank)) {
    case Activity::absent:
      return std::string(state::absent);
    case Activity::starting:
      return std::string(state::starting);
    case Activity::lost:
      return std::string(rank.is_dead ? state::dead : state::lost);
    case Activity::left:
      return std::string(state::left);
    case Activity::stopped:
      return std::string(state::stopped);
    case Activity::silent:
      if (rank.device_copies > 0) return std::string(state::copies);
      if (!rank.polls.empty()) return state::polls(rank.polls);
      return rank.system_call.empty() ? std::string(state::in_program)
                                      : state::in_system_call(rank.system_call);
    case Activity::wait:
    case Activity::work:
      break;
  }
  if (!rank.polls.empty()) return state::calls(rank.polls);
  if (!rank.wait) return std::string(rank.is_in_exit ? state::in_exit : state::works);
  std::string text = state::waits(call_of(*rank.wait));
  if (rank.wait->team != Waiting::no_team && rank.wait->team != world)
    text += state::of_team(team_name(rank.wait->team));
  if (rank.wait->peer != Waiting::any_rank && rank.wait->peer != rank.rank)
    text += state::for_rank(rank.wait->peer);
  return text;
}

}  // namespace

std::string describe(const RankSeen& rank) {
  return describe_activity(rank) +
         (rank.restarts == 0 ? "" : sentences::state::restarted(rank.restarts));
}

}  // namespace gondwana::why
