#include "simulation/stuck_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/fingerprint.hpp"

namespace gondwana::simulation {

using remote::NodeReport;

namespace {

constexpr std::uint32_t mail = 0;       // kinds of messages
constexpr std::uint32_t leaving = 1;    // a rank has called finalize or exit
constexpr std::uint32_t nothing = 2;    // never sent
constexpr std::uint32_t barriers = 10;  // and one more for each

constexpr Time tick_ns = 100 * ms;         // of an agent
constexpr Time longest_look_ns = 50 * ms;  // at the ranks of a node
constexpr Time slow_ns = 8 * second;       // a late message; shorter than the peer timeout
constexpr Time found_ns = 40 * second;     // by then a job that is stuck must be found
constexpr Time longest_ns = 600 * second;

enum class Does { computes, sends, receives, fetches, meets };

}  // namespace

struct StuckJob::Step {
  Does does;
  Time time = 0;
  std::uint32_t to = 0;
};

struct StuckJob::Rank {
  enum class State { part, finalized, ended };

  std::uint32_t number = 0;
  std::uint32_t node = 0;
  std::vector<Step> steps = {};
  bool exits = false;  // without finalize; otherwise it finalizes
  bool hangs = false;  // instead of both

  std::size_t next = 0;
  State state = State::part;
  bool computes = false;
  bool is_awake = false;
  bool leaves = false;
  bool is_under_way = false;  // something that it has asked for
  Time stopped_until = 0;
  std::uint32_t met = 0;
  std::uint32_t kind = nothing;                       // it waits for `count` messages of that kind
  std::uint32_t count = 0;                            // 0: it does not wait
  std::map<std::uint32_t, std::uint32_t> inbox = {};  // messages by kind
  std::uint64_t waits = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

struct StuckJob::Agent {
  std::uint32_t node;
  remote::Inquiry inquiry;
  bool is_gone = false;
  Time busy_until = 0;  // or stopped
};

StuckJob::StuckJob(std::uint64_t seed, bool logs)
    : random_(seed, 50), schedule_(seed), logs_(logs) {
  draw();
}

StuckJob::~StuckJob() = default;

void StuckJob::draw() {
  const auto nodes = static_cast<std::uint32_t>(random_.between(2, 8));
  peer_timeout_ns_ = random_.one_in(8) ? 0 : 20 * second;
  latency_ = random_.one_in(3) ? 500 * ms : 2 * ms;
  passes_agents_ = random_.one_in(2);
  calm_at_ = schedule_.now() + random_.skewed(40'000) * ms;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    agents_.push_back(std::make_unique<Agent>(
        Agent{.node = node, .inquiry = remote::Inquiry(node, nodes, peer_timeout_ns_)}));
    const std::uint64_t here = random_.between(1, 3);
    for (std::uint64_t i = 0; i < here; ++i)
      ranks_.push_back(std::make_unique<Rank>(
          Rank{.number = static_cast<std::uint32_t>(ranks_.size()), .node = node}));
  }
  if (random_.one_in(6)) slow_node_ = static_cast<std::uint32_t>(random_.below(nodes));
  draw_program();
  if (random_.one_in(2)) spoil_program();
  draw_faults();
}

// All ranks end: a receive comes after its send.
void StuckJob::draw_program() {
  const auto any = [this]() -> Rank& { return *random_.pick(ranks_); };
  const std::uint64_t count = random_.skewed(40);
  for (std::uint64_t i = 0; i < count; ++i) {
    switch (Does(random_.below(5))) {
      case Does::computes:
        any().steps.push_back({Does::computes, random_.skewed(5000) * ms});
        break;
      case Does::fetches:
        any().steps.push_back({Does::fetches});
        break;
      case Does::meets:
        for (const auto& rank : ranks_) rank->steps.push_back({Does::meets});
        break;
      default: {
        Rank& from = any();
        Rank& to = any();
        from.steps.push_back({Does::sends, 0, to.number});
        to.steps.push_back({Does::receives});
      }
    }
  }
  for (const auto& rank : ranks_) rank->exits = random_.one_in(3);
}

// A rank leaves out a step, or all after it, or never ends.
void StuckJob::spoil_program() {
  Rank& rank = *random_.pick(ranks_);
  rank.hangs = random_.one_in(6);
  if (rank.hangs || rank.steps.empty()) return;
  const auto at = rank.steps.begin() + static_cast<long>(random_.below(rank.steps.size()));
  rank.steps.erase(at, random_.one_in(2) ? rank.steps.end() : at + 1);
}

// Ranks are stopped, and agents get no processor.
void StuckJob::draw_faults() {
  const std::uint64_t count = random_.one_in(2) ? 0 : random_.between(1, 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Time at = random_.below(20'000) * ms;
    const Time time = random_.skewed(6000) * ms;
    const bool is_agent = random_.one_in(2);
    schedule_.after(at, [this, time, is_agent] {
      const Time until = schedule_.now() + time;
      Time& stopped =
          is_agent ? random_.pick(agents_)->busy_until : random_.pick(ranks_)->stopped_until;
      stopped = std::max(stopped, until);
      calm_at_ = std::max(calm_at_, until);
      log([&] {
        return fmt::format("{} is stopped for {} ms", is_agent ? "an agent" : "a rank", time / ms);
      });
    });
  }
}

PartReport StuckJob::run() {
  for (const auto& rank : ranks_)
    later(*rank, random_.skewed(300 * ms), [this, &rank] { advance(*rank); });
  for (const auto& agent : agents_)
    schedule_.after(random_.below(tick_ns), [this, &agent] { step(*agent); });
  schedule_.after(tick_ns, [this] { watch(); });
  while (!is_over_ && schedule_.run_next()) {
  }
  report_.time = schedule_.now() - Schedule::beginning;
  return std::move(report_);
}

// Ranks.

void StuckJob::later(Rank& rank, Time delay, std::function<void()> what) {
  schedule_.after(delay, [this, &rank, what = std::move(what)] {
    if (schedule_.now() < rank.stopped_until)
      later(rank, rank.stopped_until - schedule_.now(), what);
    else
      what();
  });
}

void StuckJob::advance(Rank& rank) {
  if (rank.next < rank.steps.size()) return perform(rank, rank.steps[rank.next++]);
  if (rank.hangs) return wait(rank, nothing, 1);
  begin_to_leave(rank);
}

void StuckJob::perform(Rank& rank, const Step& step) {
  const auto go_on = [this, &rank] {
    rank.computes = rank.is_under_way = false;
    advance(rank);
  };
  switch (step.does) {
    case Does::computes:
      rank.computes = true;
      return later(rank, step.time, go_on);
    case Does::sends:
      send(rank, step.to, mail);
      rank.computes = true;
      return later(rank, random_.skewed(ms), go_on);
    case Does::receives:
      return wait(rank, mail, 1);
    case Does::fetches:
      rank.is_under_way = true;
      return later(rank, 2 * latency(), go_on);
    case Does::meets: {
      const std::uint32_t kind = barriers + rank.met++;
      for (const auto& other : ranks_)
        if (other.get() != &rank) send(rank, other->number, kind);
      return wait(rank, kind, static_cast<std::uint32_t>(ranks_.size() - 1));
    }
  }
}

void StuckJob::begin_to_leave(Rank& rank) {
  log([&] { return fmt::format("rank {} {}", rank.number, rank.exits ? "exits" : "finalizes"); });
  rank.leaves = true;
  for (const auto& other : ranks_)
    if (other.get() != &rank) send(rank, other->number, leaving);
  wait(rank, leaving, static_cast<std::uint32_t>(ranks_.size() - 1));
}

void StuckJob::leave(Rank& rank) {
  rank.state = Rank::State::finalized;
  log([&] { return fmt::format("rank {} has finalized", rank.number); });
  later(rank, random_.skewed(2000 * ms), [this, &rank] {
    rank.state = Rank::State::ended;
    log([&] { return fmt::format("rank {} has ended", rank.number); });
  });
}

void StuckJob::wait(Rank& rank, std::uint32_t kind, std::uint32_t count) {
  ++rank.waits;
  rank.kind = kind;
  rank.count = count;
  go_on_if_possible(rank);
}

void StuckJob::go_on_if_possible(Rank& rank) {
  rank.is_awake = false;
  if (rank.count == 0 || rank.inbox[rank.kind] < rank.count) return;
  rank.inbox[rank.kind] -= std::exchange(rank.count, 0);
  if (rank.kind == leaving) return leave(rank);
  rank.computes = true;
  later(rank, random_.skewed(ms), [this, &rank] {
    rank.computes = false;
    advance(rank);
  });
}

void StuckJob::send(Rank& from, std::uint32_t to, std::uint32_t kind) {
  ++from.sent;
  const std::uint64_t number = ++messages_;
  under_way_[number] = {to, kind};
  schedule_.after(latency(), [this, number] { arrive(number); });
}

// Most are fast. Late ones overtake nothing: a receiver counts them by kind.
Time StuckJob::latency() {
  const bool is_late = schedule_.now() < calm_at_ && random_.one_in(20);
  return random_.skewed(is_late ? slow_ns : latency_);
}

void StuckJob::arrive(std::uint64_t number) {
  const auto [to, kind] = under_way_.at(number);
  Rank& rank = *ranks_[to];
  const Agent& agent = *agents_[rank.node];
  const Time free = passes_agents_ ? agent.busy_until : 0;
  if (schedule_.now() < free) return schedule_.at(free, [this, number] { arrive(number); });
  if (rank.state != Rank::State::part) return;  // it stays under way
  under_way_.erase(number);
  ++rank.inbox[kind];
  const bool wakes = rank.count != 0 && !std::exchange(rank.is_awake, true);
  // The agent counts it, or the rank once it runs.
  if (passes_agents_ || rank.count == 0) ++rank.received;
  const bool counts = !passes_agents_ && rank.count != 0;
  if (!wakes && !counts) return;
  const Time delay = random_.skewed(random_.one_in(10) ? 4 * second : 2 * ms);
  later(rank, delay, [this, &rank, counts] {
    if (counts) ++rank.received;
    go_on_if_possible(rank);
  });
}

// Agents, as JobWatch has them.

void StuckJob::step(Agent& agent) {
  if (is_over_ || agent.is_gone) return;
  const Time now = schedule_.now();
  const Time next = std::max(now + tick_ns + random_.skewed(20 * ms), agent.busy_until);
  schedule_.at(next, [this, &agent] { step(agent); });
  if (now < agent.busy_until) return;
  const auto is_here = [&](const auto& rank) { return rank->node == agent.node; };
  const bool all_ended = std::ranges::all_of(ranks_, [&](const auto& rank) {
    return !is_here(rank) || rank->state == Rank::State::ended;
  });
  if (all_ended) return say_farewell(agent);
  const bool any_ends =
      std::ranges::any_of(ranks_, [&](const auto& rank) { return is_here(rank) && rank->leaves; });
  if (!any_ends) return;
  if (!agent.inquiry.is_due(now)) return continue_inquiry(agent);
  look(agent, [this, &agent, now](NodeReport own) {
    agent.inquiry.begin(std::move(own), now);
    continue_inquiry(agent);
  });
}

// It reads some things first, and looks at the processes then. Meanwhile it does nothing else.
void StuckJob::look(Agent& agent, const Answer& answer) {
  std::vector<Rank*> part;
  NodeReport begun{.messages_in_flight = in_flight(agent.node)};
  for (const auto& rank : ranks_) {
    if (rank->node != agent.node) continue;
    if (rank->state == Rank::State::part) part.push_back(rank.get());
    begun.any_leaves = begun.any_leaves || rank->state == Rank::State::ended ||
                       (rank->state == Rank::State::part && rank->leaves && rank->exits);
  }
  const Time time = random_.skewed(longest_look_ns);
  agent.busy_until = std::max(agent.busy_until, schedule_.now() + time);
  schedule_.after(time, [this, begun, part, answer] {
    if (is_over_) return;
    NodeReport report = look_at_ranks(part);
    report.any_leaves = begun.any_leaves;
    report.messages_in_flight = begun.messages_in_flight;
    answer(std::move(report));
  });
}

NodeReport StuckJob::look_at_ranks(const std::vector<Rank*>& part) const {
  NodeReport report{.is_still = true};
  for (const Rank* rank : part) {
    const bool sleeps = rank->state == Rank::State::part && rank->count != 0 && !rank->is_awake &&
                        !rank->is_under_way && schedule_.now() >= rank->stopped_until;
    report.is_still = report.is_still && sleeps;
    report.print =
        fingerprint({report.print, rank->number, rank->waits, rank->sent, rank->received});
    report.text += fmt::format("rank {} ", rank->number);
  }
  if (!report.is_still) report.print = 0;
  return report;
}

// Longer than an agent waits for it.
Time StuckJob::delay_of_report(std::uint32_t node) {
  const bool is_slow = slow_node_ == node && schedule_.now() < calm_at_;
  return latency() + (is_slow ? random_.between(1500, 4000) * ms : 0);
}

void StuckJob::tell(std::uint32_t node, Time delay, std::function<void(Agent& agent)> what) {
  schedule_.after(delay, [this, node, what = std::move(what)]() mutable {
    Agent& agent = *agents_[node];
    if (is_over_ || agent.is_gone) return;
    if (schedule_.now() >= agent.busy_until) return what(agent);
    schedule_.at(agent.busy_until, [this, node, what] { tell(node, 0, what); });
  });
}

void StuckJob::continue_inquiry(Agent& agent) {
  const std::optional<std::uint32_t> node = agent.inquiry.next_to_ask(schedule_.now());
  if (agent.inquiry.diagnosis()) return judge_diagnosis();
  if (!node) return;
  if (fails_now()) return agent.inquiry.ask_again();
  tell(*node, latency(), [this, from = agent.node, round = agent.inquiry.round()](Agent& asked) {
    look(asked, [this, from, round, node = asked.node](const NodeReport& report) {
      if (fails_now()) return;
      tell(from, delay_of_report(node), [this, node, round, report](Agent& asker) {
        asker.inquiry.hear(node, round, report, schedule_.now());
        continue_inquiry(asker);
      });
    });
  });
}

void StuckJob::say_farewell(Agent& agent) {
  log([&] { return fmt::format("the agent of node {} has ended", agent.node); });
  const NodeReport farewell{
      .is_still = true, .any_leaves = true, .messages_in_flight = in_flight(agent.node)};
  for (const auto& other : agents_)
    if (other.get() != &agent)
      tell(other->node, latency(), [node = agent.node, farewell](Agent& one) {
        one.inquiry.hear_farewell(node, farewell);
      });
  agent.is_gone = true;
}

// A connection is not there yet.
bool StuckJob::fails_now() {
  return schedule_.now() < calm_at_ && random_.one_in(8);
}

std::uint64_t StuckJob::in_flight(std::uint32_t node) const {
  std::uint64_t sum = 0;
  for (const auto& rank : ranks_)
    if (rank->node == node) sum += rank->sent - rank->received;
  return sum;
}

// The truth.

// With all that is under way to it.
bool StuckJob::is_possible(const Rank& rank) const {
  const auto here = rank.inbox.find(rank.kind);
  const auto coming = std::ranges::count_if(under_way_, [&](const auto& one) {
    return one.second.to == rank.number && one.second.kind == rank.kind;
  });
  return (here != rank.inbox.end() ? here->second : 0) + static_cast<std::uint64_t>(coming) >=
         rank.count;
}

bool StuckJob::can_continue(const Rank& rank) const {
  return rank.state == Rank::State::part && (rank.count == 0 || is_possible(rank));
}

bool StuckJob::any_leaves() const {
  return std::ranges::any_of(ranks_, [](const auto& rank) {
    return rank->state == Rank::State::ended || (rank->leaves && rank->exits);
  });
}

void StuckJob::judge_diagnosis() {
  is_over_ = true;
  log([] { return "no rank can continue: so an agent says"; });
  for (const auto& rank : ranks_)
    if (can_continue(*rank))
      return fail(fmt::format("no rank can continue, it is said, but rank {} can", rank->number));
  if (!any_leaves()) fail("no rank can continue, it is said, but no rank leaves");
}

void StuckJob::watch() {
  if (is_over_) return;
  const Time now = schedule_.now();
  schedule_.after(tick_ns, [this] { watch(); });
  const auto is_part = [](const auto& rank) { return rank->state == Rank::State::part; };
  const bool any_part = std::ranges::any_of(ranks_, is_part);
  const bool any_continues =
      std::ranges::any_of(ranks_, [this](const auto& rank) { return can_continue(*rank); });
  if (!any_part) {
    is_over_ = std::ranges::all_of(agents_, [](const auto& agent) { return agent->is_gone; });
  } else if (any_continues) {
    if (stuck_at_) fail("a rank of a job that is stuck continues");
  } else if (!stuck_at_) {
    stuck_at_ = now;
    log([] { return "from now on no rank can continue"; });
  }
  if (now > Schedule::beginning + longest_ns) fail("the job does not end");
  if (!stuck_at_) return;
  const bool any_under_way = !under_way_.empty();
  const Time limit =
      std::max(*stuck_at_, calm_at_) + found_ns + (any_under_way ? peer_timeout_ns_ : 0);
  if (now < limit) return;
  is_over_ = true;
  if (any_leaves() && (!any_under_way || peer_timeout_ns_ != 0))
    fail("no rank can continue, and no agent finds it");
}

void StuckJob::fail(const std::string& wrong) {
  is_over_ = true;
  if (!report_.wrong.empty()) return;
  report_.wrong = wrong;
  log([&] { return "WRONG: " + wrong; });
}

template <typename Words>
void StuckJob::log(Words words) {
  if (logs_) report_.note(schedule_.now(), words());
}

}  // namespace gondwana::simulation
