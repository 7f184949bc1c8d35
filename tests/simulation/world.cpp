#include "simulation/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <set>
#include <utility>
#include <variant>

#include "run/job.hpp"
#include "simulation/front.hpp"
#include "simulation/node.hpp"

namespace gondwana::simulation {
namespace {

// Until the user sends TERM, and until a job that has been asked to end must have.
constexpr Time wait_ns = 60 * second;
constexpr Time end_ns = 300 * second;

launch::Job job_on_one_host(const Plan& plan) {
  launch::Job job;
  job.programs.emplace_back().ranks = plan.ranks();
  job.programs[0].words = {"./program"};
  job.share = {.node = 0, .nodes = 1, .first = 0, .total = plan.ranks()};
  if (plan.timeout) job.timeout = std::chrono::milliseconds(*plan.timeout / ms);
  return job;
}

}  // namespace

World::World(const Plan& plan, bool logs)
    : plan_(plan), ranks_(plan.ranks()), logs_(logs), schedule_(plan.seed) {
  nodes_.reserve(plan.hosts.size());
}

World::~World() = default;

Report World::run() {
  if (plan_.has_conductor) {
    front_ = std::make_unique<Front>(*this);
    front_->start();
  } else {
    nodes_.push_back(std::make_unique<Node>(*this, 0, job_on_one_host(plan_), Node::Uplink{}));
    nodes_[0]->start();
  }
  plan_faults();
  plan_last_resort();
  while (report_.wrong.empty() && !is_done())
    if (!schedule_.run_next()) fail("nothing is left to happen, and the job has not ended");
  if (report_.wrong.empty())
    if (const auto wrong = ledger_.judge(*status_, now())) fail(*wrong);
  if (report_.wrong.empty() && resorted_ && plan_.ends_alone())
    fail("nothing but a TERM of the user has ended the job");
  report_.status = status_.value_or(-1);
  report_.time = now() - Schedule::beginning;
  report_.trace = schedule_.trace();
  return std::move(report_);
}

void World::fail(const std::string& wrong) {
  if (!report_.wrong.empty()) return;
  log([&] { return "WRONG: " + wrong; });
  report_.wrong = wrong;
}

// The same words again and again are one line.
void World::add_to_log(const std::string& words) {
  const double time = static_cast<double>(now() - Schedule::beginning) * 1e-9;
  repeats_ = words == last_words_ ? repeats_ + 1 : 0;
  last_words_ = words;
  if (repeats_ > 1) report_.log.pop_back();
  report_.log.push_back(repeats_ == 0
                            ? fmt::format("{:9.4f} s  {}", time, words)
                            : fmt::format("{:9.4f} s  the same, {} times", time, repeats_));
}

void World::say(const std::string& sentence) {
  log([&] { return "to the user: " + sentence; });
  if (!Information::is_one(sentence)) return ledger_.say(sentence, now());
  if (const auto wrong = information_.tell(sentence)) fail(*wrong);
}

void World::demand(const std::string& begins) {
  if (const auto wrong = information_.demand(begins)) fail(*wrong);
}

void World::end(int status) {
  log([&] { return fmt::format("the job has ended with status {}", status); });
  status_ = status;
  report_.to_end = traffic();
}

void World::add_node(std::unique_ptr<Node> node) {
  nodes_.push_back(std::move(node));
}

Traffic World::traffic() const {
  if (!front_) return {.at = now()};
  return {now() - Schedule::beginning, front_->sent(), front_->received(), front_->bytes()};
}

bool World::is_done() const {
  return status_ && std::ranges::all_of(nodes_, [](const auto& node) { return node->is_over(); });
}

const launch::Frame& World::read(const std::shared_ptr<const std::string>& frame,
                                 std::uint64_t tag) {
  if (std::exchange(frame_, frame) == frame) return content_;
  rows_.reset();
  launch::FrameParser parser(tag);
  parser.add(*frame);
  Result<std::optional<launch::Frame>> content = parser.next();
  if (content && *content)
    content_ = **std::move(content);
  else
    fail("a frame to many hosts is not understood");
  return content_;
}

RowsSeen World::look_at(const launch::NodeRows& update) {
  if (&update == std::get_if<launch::NodeRows>(&content_) && rows_) return *rows_;
  std::set<std::uint32_t> nodes;
  RowsSeen seen{.lowest_epoch = ~std::uint64_t{0}};
  for (const launch::NodeRow& row : update.rows) {
    nodes.insert(row.node);
    seen.lowest_epoch = std::min(seen.lowest_epoch, row.epoch);
    seen.highest_epoch = std::max(seen.highest_epoch, row.epoch);
  }
  seen.nodes = nodes.size();
  if (&update == std::get_if<launch::NodeRows>(&content_)) rows_ = seen;
  return seen;
}

void World::on_rank_joined() {
  ++joined_;
  try_start();
}

void World::on_node_knows_all() {
  ++knowing_;
  try_start();
}

// Once: each rank joins once, and each node knows all from then on.
void World::try_start() {
  if (joined_ != ranks_ || knowing_ != plan_.hosts.size()) return;
  report_.to_start = traffic();
  Random random = this->random();
  for (const auto& node : nodes_)
    for (const auto& rank : node->ranks()) rank->start(random.skewed(20 * ms));
}

void World::on_rank_finalizes() {
  on_progress();
  if (++finalized_ != ranks_) return;
  log([] { return "all ranks have called finalize"; });
  report_.to_finalize = traffic();
  Random random = this->random();
  for (const auto& node : nodes_)
    for (const auto& rank : node->ranks()) rank->finalize(random.skewed(5 * ms));
}

bool World::is_still(std::uint64_t& looked_at) const {
  const bool is_same = std::exchange(looked_at, progress_) == progress_;
  if (!is_same || have_all_finalized()) return false;
  bool any_waits = false;
  for (const auto& node : nodes_)
    for (const auto& rank : node->ranks()) {
      if (rank->is_between()) return false;
      if (!rank->program().is_alive() || rank->state() == RankState::finalized) continue;
      if (!rank->waits()) return false;
      any_waits = true;
    }
  return any_waits;
}

bool World::any_leaves() const {
  for (const auto& node : nodes_)
    for (const auto& rank : node->ranks())
      if (!rank->program().is_alive() || rank->is_in_exit()) return true;
  return false;
}

bool World::has_absent_rank(const std::string& sentence) const {
  std::vector<const Node*> in_order(plan_.hosts.size());
  for (const auto& node : nodes_) in_order[node->number()] = node.get();
  std::uint32_t number = 0;
  for (std::size_t host = 0; host < in_order.size(); ++host)
    for (std::uint32_t rank = 0; rank < plan_.hosts[host].ranks.size(); ++rank) {
      const std::string words = fmt::format("rank {} ended before it joined the job", number++);
      if (in_order[host] == nullptr || rank >= in_order[host]->ranks().size() ||
          sentence.find(words) == std::string::npos)
        continue;
      const Rank& one = *in_order[host]->ranks()[rank];
      // A first program may have ended before it took part.
      const bool has_ended = !one.program().is_alive() || one.plan().tries;
      if (has_ended && one.state() == RankState::absent) return true;
    }
  return false;
}

void World::on_agent_gone(const Node& node, Time later) {
  whole_ = false;
  schedule_.after(later, [this, &node] {
    for (const auto& other : nodes_)
      if (other.get() != &node)
        for (const auto& rank : other->ranks()) rank->on_peer_lost();
  });
}

void World::plan_faults() {
  for (const Fault& fault : plan_.faults)
    schedule_.after(fault.at, [this, fault] {
      if (status_) return;
      log([&] { return "FAULT " + describe(fault); });
      if (report_.to_fault.at == 0) report_.to_fault = traffic();
      commit(fault);
    });
}

void World::commit(const Fault& fault) {
  Host* host = front_ ? &front_->host(fault.host) : nullptr;
  Node* node = front_ ? host->node() : nodes_[0].get();
  const bool has_rank = node != nullptr && !node->is_over() && fault.rank < node->ranks().size();
  Rank* rank = has_rank ? node->ranks()[fault.rank].get() : nullptr;
  using Way = launch::HeardSignals::Way;
  switch (fault.kind) {
    case Kind::kill_rank:
      if (rank != nullptr) rank->program().signal(fault.signal);
      break;
    case Kind::stop_rank:
      if (rank == nullptr) break;
      rank->program().signal(SIGSTOP);
      schedule_.after(fault.time, [rank] { rank->program().signal(SIGCONT); });
      break;
    case Kind::signal_job:
      signal_job(fault.signal);
      break;
    case Kind::signal_host:
      if (node == nullptr || node->is_over()) break;
      node->expect_signal(fault.signal);
      node->signal(fault.signal, Way::from_launcher);
      break;
    case Kind::signal_all:
      ++signals_[fault.signal];
      if (front_) front_->signal(fault.signal);
      for (const auto& one : nodes_) one->signal_all(fault.signal);
      break;
    case Kind::kill_launcher:
      if (std::exchange(launcher_killed_, true)) break;
      front_ ? front_->lose_launcher() : node->lose_launcher();
      break;
    case Kind::kill_way:
      if (host != nullptr) host->way().signal(SIGKILL);
      break;
    case Kind::kill_guardian:
      if (node != nullptr && host != nullptr) node->kill_guardian();
      break;
    case Kind::kill_sweeper:
      if (node != nullptr) node->kill_sweeper();
      break;
    case Kind::kill_agent:
      if (node != nullptr) node->kill_agent();
      break;
    case Kind::reset:
      if (host != nullptr) host->reset();
      break;
    case Kind::silence:
    case Kind::silence_up:
    case Kind::silence_down:
      if (host != nullptr)
        host->silence(fault.kind != Kind::silence_down, fault.kind != Kind::silence_up, fault.time);
      break;
    case Kind::slow:
      if (host != nullptr) host->slow_down(fault.time, 5 * second);
      break;
    case Kind::garbage:
      if (host != nullptr) host->garble();
      break;
    case Kind::power_off:
      if (host != nullptr) host->power_off();
      break;
    case Kind::stop_guardian:
      if (node != nullptr) node->stop_guardian(fault.time);
      break;
    case Kind::fail_descriptor:
      if (node != nullptr) node->fail_descriptor();
      break;
    case Kind::freeze:
      if (node != nullptr) node->freeze(fault.time);
      if (host != nullptr) host->silence(true, true, fault.time);
      break;
    case Kind::stop_conductor:
      if (front_) front_->stop(fault.time);
      break;
    case Kind::lose_reader:
    case Kind::fill_disk: {
      const int reason = fault.kind == Kind::lose_reader ? EPIPE : ENOSPC;
      front_ ? front_->lose_output(reason) : node->lose_output(reason);
      break;
    }
  }
}

void World::signal_job(int number) {
  ++signals_[number];
  if (front_)
    front_->signal(number);
  else
    nodes_[0]->signal(number, launch::HeardSignals::Way::from_launcher);
}

// After a long wait the user sends TERM, and again; a job that does not end then never does.
void World::plan_last_resort() {
  const Time resort_ns = plan_.last() + wait_ns + Time{3} * plan_.peer_timeout_s * second;
  const auto term = [this] {
    if (status_) return;
    log([] { return "the user sends TERM"; });
    resorted_ = true;
    signal_job(SIGTERM);
  };
  schedule_.after(resort_ns, term);
  schedule_.after(resort_ns + 30 * second, term);
  schedule_.after(resort_ns + end_ns, [this] {
    if (!is_done()) fail("the job does not end; what is left: " + describe_left());
  });
}

std::string World::describe_left() const {
  std::string left = status_ ? "" : "the launcher";
  for (const auto& node : nodes_)
    if (!node->is_over()) left += fmt::format(" host {} ({})", node->name(), node->describe_left());
  return left;
}

}  // namespace gondwana::simulation
