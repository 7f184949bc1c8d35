#include "report/why/wait_graph.hpp"

#include <algorithm>
#include <optional>

namespace gondwana::why {

using jobs::JobSeen;
using jobs::RankSeen;

Activity activity_of(const RankSeen& rank) {
  if (rank.state == RankState::absent) return Activity::absent;
  if (rank.state == RankState::finalized || rank.has_left) return Activity::left;
  if (rank.process == RankSeen::Process::gone) return Activity::lost;
  if (rank.process == RankSeen::Process::stopped) return Activity::stopped;
  // A rank may wait in one thread and make calls in another.
  if (rank.wait)
    return rank.wait->lasts_throughout && rank.calls == 0 ? Activity::wait : Activity::work;
  if (rank.state == RankState::joined) return Activity::starting;
  return rank.calls == 0 && rank.waited == 0 ? Activity::silent : Activity::work;
}

bool is_alive(const RankSeen& rank) {
  const Activity what = activity_of(rank);
  return what == Activity::silent || what == Activity::wait || what == Activity::work;
}

bool is_over(const JobSeen& job) {
  // A host that answers does not know the job any more; a host that does not answer proves nothing.
  if (job.seen.empty()) return job.complaints.empty();
  return std::ranges::all_of(job.seen, [](const RankSeen& rank) {
    const Activity what = activity_of(rank);
    return what == Activity::left || what == Activity::lost;
  });
}

namespace {

bool is_in_same_call(const RankSeen& one, const RankSeen& other) {
  return activity_of(other) == Activity::wait && one.wait->team == other.wait->team &&
         one.wait->members.first == other.wait->members.first && one.wait->call == other.wait->call;
}

// Whether the rank belongs to the team of the collective; true if the members are unknown.
bool may_be_member(const RankSeen& waiting, const RankSeen& other) {
  return waiting.wait->members.size == 0 || waiting.wait->members.has(other.rank);
}

}  // namespace

// Tarjan's strongly connected components. Those that reach no other component are the culprits.
class WaitGraph::Search {
 public:
  explicit Search(WaitGraph& graph) : graph_(&graph), facts_(graph.targets_.size()) {
    for (const auto& targets : graph.targets_)
      for (const std::size_t target : targets) facts_[target].is_target = true;
    for (std::size_t place = 0; place < facts_.size(); ++place)
      if (!facts_[place].number) visit(place);
  }

 private:
  struct Facts {
    std::optional<std::size_t> number;
    std::size_t lowest = 0;
    bool is_open = false;
    bool reaches_others = false;
    bool is_target = false;
  };

  // The recursion is as deep as the longest chain of waiting ranks.
  void visit(std::size_t place) {  // NOLINT(misc-no-recursion)
    Facts& facts = facts_[place];
    facts.number = facts.lowest = count_++;
    facts.is_open = true;
    open_.push_back(place);
    for (const std::size_t target : graph_->targets_[place]) {
      const Facts& other = facts_[target];
      if (!other.number) visit(target);
      if (other.is_open)
        facts.lowest = std::min(facts.lowest, other.lowest);
      else
        facts.reaches_others = true;
      facts.reaches_others = facts.reaches_others || other.reaches_others;
    }
    if (facts.lowest == *facts.number) close(place);
  }

  void close(std::size_t root) {
    std::vector<std::size_t> members;
    bool reaches_others = false;
    std::size_t last = 0;
    do {
      last = open_.back();
      open_.pop_back();
      facts_[last].is_open = false;
      reaches_others = reaches_others || facts_[last].reaches_others;
      members.push_back(last);
    } while (last != root);
    for (const std::size_t member : members) facts_[member].reaches_others = true;
    if (!reaches_others) keep(std::move(members));
  }

  void keep(std::vector<std::size_t> members) {
    std::ranges::sort(members);
    const auto& seen = graph_->job_->seen;
    if (members.size() == 1) {
      const RankSeen& rank = seen[members.front()];
      const bool matters = facts_[members.front()].is_target || activity_of(rank) == Activity::wait;
      if (matters && activity_of(rank) != Activity::left) graph_->ends_.push_back(rank.rank);
      return;
    }
    std::vector<std::uint32_t> cycle;
    cycle.reserve(members.size());
    for (const std::size_t member : members) cycle.push_back(seen[member].rank);
    graph_->cycles_.push_back(std::move(cycle));
  }

  WaitGraph* graph_;
  std::vector<Facts> facts_;
  std::vector<std::size_t> open_;
  std::size_t count_ = 0;
};

WaitGraph::WaitGraph(const JobSeen& job) : job_(&job) {
  for (std::size_t place = 0; place < job.seen.size(); ++place)
    targets_.push_back(targets_of(place));
  const Search search(*this);
  static_cast<void>(search);
  std::ranges::sort(ends_);
}

const RankSeen& WaitGraph::rank(std::uint32_t rank) const {
  return *std::ranges::lower_bound(job_->seen, rank, {}, &RankSeen::rank);
}

std::vector<std::size_t> WaitGraph::targets_of(std::size_t place) const {
  const RankSeen& rank = job_->seen[place];
  if (activity_of(rank) != Activity::wait) return {};
  const bool is_collective = rank.wait->team != Waiting::no_team;
  const bool has_peer = rank.wait->peer != Waiting::any_rank && rank.wait->peer != rank.rank;
  std::vector<std::size_t> targets;
  for (std::size_t other = 0; other < job_->seen.size(); ++other) {
    const RankSeen& peer = job_->seen[other];
    if (other == place || activity_of(peer) == Activity::left) continue;
    if (is_collective ? may_be_member(rank, peer) && !is_in_same_call(rank, peer)
        : has_peer    ? peer.rank == rank.wait->peer
                      : activity_of(peer) != Activity::wait)
      targets.push_back(other);
  }
  return targets;
}

}  // namespace gondwana::why
