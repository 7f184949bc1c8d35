#include "report/why/polls.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "report/why/loops.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::why {
namespace {

// A polling rank is mostly in the call, otherwise in the loop around it.
constexpr int extra_samples = 5;
constexpr int min_samples = 2;
constexpr std::string_view any_call = "the library";

// Whether the program itself may be waiting. A rank that sleeps or waits in a call is reported as
// such.
bool may_poll(const jobs::RankSeen& rank) {
  const Activity what = activity_of(rank);
  const bool runs = rank.computed + rank.delayed > 0.1;
  return runs && (what == Activity::silent || what == Activity::work);
}

// Selects the counted calls that return a value: a rank that works makes other calls, too.
bool returns_value(std::string_view call) {
  constexpr std::array<std::string_view, 5> parts{"_g", "fetch", "Get", "est", "oll"};
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return call.find(part) != std::string_view::npos; });
}

// Each thread has its own loop; the first thread found in a call is reported.
std::string call_of_rank(const stacks::Place& place) {
  for (const stacks::ThreadStack& thread : place.threads)
    if (std::string call = call_of_library(thread); !call.empty()) return call;
  return {};
}

bool only_reads(const jobs::RankSeen& rank) {
  const auto count = [&](Count what) { return rank.counts.at(static_cast<std::size_t>(what)); };
  return count(Count::puts) == 0 && count(Count::syncs) == 0;
}

}  // namespace

std::string call_of_library(const stacks::ThreadStack& thread) {
  constexpr std::array<std::string_view, 5> beginnings{"shmem", "gex_", "gasnet", "ARMCI_", "NGA_"};
  const auto own = std::ranges::find_if(thread.frames, [&](const stacks::Frame& frame) {
    return frame.is_program && &frame != &thread.frames.front();
  });
  const auto is_call = [&](std::string_view name) {
    return std::ranges::any_of(beginnings, [&](auto each) { return name.starts_with(each); });
  };
  for (auto frame = own; frame != thread.frames.begin() && own != thread.frames.end();) {
    std::string_view name = (--frame)->function;
    // With a profiling library, calls have two names.
    if (name.starts_with('p') || name.starts_with('P')) name.remove_prefix(1);
    if (is_call(name)) return std::string(name);
  }
  // A tail call may have replaced the call's frame with one of our functions.
  const bool is_ours = own != thread.frames.begin() && own != thread.frames.end() &&
                       std::prev(own)->module.find("libgondwana") != std::string::npos;
  return is_ours ? std::string(any_call) : std::string();
}

namespace {

// The only named call among these samples, if there are enough samples.
std::string only_call(const std::map<std::string, int>& calls) {
  int times = 0;
  std::string only;
  for (const auto& [call, of_it] : calls) {
    times += of_it;
    if (call == any_call) continue;
    if (!only.empty()) return {};
    only = call;
  }
  if (times < min_samples) return {};
  return only.empty() ? std::string(any_call) : only;
}

}  // namespace

bool find_polls(hosts::JobView& view, jobs::JobSeen& job, const std::vector<stacks::Place>& places,
                FunctionRef<bool()> continues) {
  std::vector<std::uint32_t> ranks;
  for (const jobs::RankSeen& rank : job.seen)
    if (may_poll(rank) &&
        std::ranges::find(places, rank.rank, &stacks::Place::rank) != places.end())
      ranks.push_back(rank.rank);
  std::map<std::uint32_t, std::map<std::string, int>> calls;
  std::map<std::uint32_t, std::vector<stacks::Place>> samples;
  const auto count = [&](const std::vector<stacks::Place>& found) {
    for (const stacks::Place& place : found) {
      if (std::string call = call_of_rank(place); !call.empty()) ++calls[place.rank][call];
      samples[place.rank].push_back(place);
    }
  };
  count(places);
  for (int look = 0; look < extra_samples && !ranks.empty() && continues(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(7));  // no divisor of common loop periods
    count(view.find_places(ranks, continues));
  }
  bool any = false;
  for (jobs::RankSeen& rank : job.seen) {
    if (std::ranges::find(ranks, rank.rank) == ranks.end()) continue;
    std::string call = only_call(calls[rank.rank]);
    if (activity_of(rank) == Activity::silent || returns_value(call) ||
        (call == any_call && only_reads(rank)))
      rank.polls = std::move(call);
    if (activity_of(rank) == Activity::silent && rank.polls.empty())
      find_loop(rank, samples[rank.rank]);
    any = any || !rank.polls.empty();
  }
  return any;
}

}  // namespace gondwana::why
