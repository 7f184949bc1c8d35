#include "simulation/joining_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "memory/node_contact.hpp"
#include "run/overloaded.hpp"

namespace gondwana::simulation {

using launch::Overloaded;

namespace {

constexpr std::uint32_t timeout_s = 20;
constexpr Time timeout_ns = timeout_s * second;
constexpr Time together_ns = 400 * ms;  // ranks that start within this time are told the same
constexpr Time late_ns = 2 * second;    // after the timeout all must have been told

NodeContact draw_contact(Random& random) {
  std::vector<std::byte> bytes(random.skewed(NodeInfo::longest_address));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return {NodeInfo{}, bytes, Bytes(bytes).first(random.below(bytes.size() + 1))};
}

}  // namespace

struct JoiningJob::Process {
  enum class State { joins, serves, joined, refused, dead, absent };

  std::uint32_t rank;
  std::uint32_t host;
  JoinPlan plan;
  Time began = 0;
  State state = State::absent;
  bool has_name = false;  // in the roll call
  std::uint32_t fences = 0;
  std::optional<Invitation> invitation = {};  // of its server
  std::optional<NodeRound> round = {};
  std::optional<BeGuest> guest = {};
  std::optional<BeHost> is_host = {};
  std::optional<Guests> guests = {};
  std::optional<std::uint32_t> node = {};  // its first rank; it has joined there

  bool is_active() const { return state == State::joins || state == State::serves; }
};

JoiningJob::JoiningJob(std::uint64_t seed, bool logs)
    : random_(seed, 60), schedule_(seed), logs_(logs) {
  draw();
}

JoiningJob::~JoiningJob() = default;

void JoiningJob::draw() {
  const std::uint64_t hosts = random_.between(1, 4);
  node_ranks_ = random_.one_in(3) ? static_cast<std::uint32_t>(random_.between(1, 3)) : 0;
  std::vector<std::uint32_t> places;
  for (std::uint32_t host = 0; host < hosts; ++host)
    places.insert(places.end(), random_.between(1, 5), host);
  if (random_.one_in(8)) random_.shuffle(places);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = i + 1; j < places.size(); ++j)
      if (places[i] == places[j] && places[i] != places[j - 1]) is_in_order_ = false;
  const auto size = static_cast<std::uint32_t>(places.size());
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const std::uint32_t host = places[rank];
    const ProcessInfo info{.node = {fmt::format("boot{}", host), "net", "user"},
                           .host = fmt::format("host{}", host),
                           .node_ranks = rank == 0 ? node_ranks_ : 0,
                           .invitation = {}};
    processes_.push_back(std::make_unique<Process>(
        Process{.rank = rank, .host = host, .plan = JoinPlan({rank, size, info, "srun", ""})}));
  }
  const bool some_miss = random_.one_in(4);
  const bool some_die = random_.one_in(4);
  for (const auto& process : processes_) {
    if (some_miss && random_.one_in(4)) {
      all_come_ = false;
      continue;
    }
    schedule_.after(random_.skewed(together_ns), [this, &one = *process] {
      one.began = schedule_.now();
      one.state = Process::State::joins;
      one.has_name = true;
      handle(one, JoinBegins{});
    });
    if (!some_die || !random_.one_in(4)) continue;
    schedule_.after(random_.skewed(4000) * ms, [this, &one = *process] {
      if (!one.is_active()) return;
      all_come_ = false;
      one.state = Process::State::dead;
      one.has_name = false;
      log([&] { return fmt::format("rank {} dies", one.rank); });
    });
  }
}

PartReport JoiningJob::run() {
  while (report_.wrong.empty() && schedule_.run_next()) {
  }
  if (report_.wrong.empty()) judge();
  report_.time = schedule_.now() - Schedule::beginning;
  return std::move(report_);
}

void JoiningJob::later(Process& process, std::function<void()> what) {
  schedule_.after(random_.skewed(random_.one_in(10) ? 500 * ms : 5 * ms),
                  [&process, what = std::move(what)] {
                    if (process.is_active()) what();
                  });
}

void JoiningJob::handle(Process& process, const JoinEvent& event) {
  perform(process, process.plan.handle(event));
}

void JoiningJob::handle_round(Process& process, const RoundEvent& event) {
  perform(process, process.round->handle(event));
}

void JoiningJob::perform(Process& process, const JoinStep& step) {
  std::visit(
      Overloaded{
          [&](const Error& error) { refuse(process, error); },
          [&](const OpenServer& opens) {
            process.invitation = Invitation{.address = fmt::format("{:04x}", process.rank),
                                            .tag = opens.tag != 0 ? opens.tag : random_.next() | 1,
                                            .password = random_.next()};
            later(process,
                  [this, &process] { handle(process, ServerOpened{*process.invitation}); });
          },
          [&](const Publish& own) {
            put(process, Round::ranks, write_info(own.info));
            later(process, [this, &process] { handle(process, Published{}); });
          },
          [&](const WaitForAll&) {
            fence(process, [this, &process](bool all_came) {
              handle(process, AllWaited{timeout_s,
                                        all_came ? std::vector<std::uint32_t>() : missing(process),
                                        all_came});
            });
          },
          [&](const StayNamed& stay) {
            schedule_.after(stay.ms * ms, [this, &process] {
              if (process.is_active()) handle(process, Stayed{});
            });
          },
          [&](const Fetch& wanted) {
            later(process, [this, &process, rank = wanted.rank] {
              Result<ProcessInfo> info = read_info(get(Round::ranks, rank), rank);
              if (!info) return fail("an info is misread: " + info.error().text);
              handle(process, Fetched{rank, *std::move(info)});
            });
          },
          [&](const BeGuest& guest) {
            process.guest = guest;
            if (guest.invitation) return visit(process, guest.host, *guest.invitation);
            process.round.emplace(std::string(), std::vector{guest.host});
            handle_round(process, RoundBegins{});
          },
          [&](const BeHost& host) { be_host(process, host); }},
      step);
}

void JoiningJob::perform(Process& process, const RoundStep& step) {
  std::visit(Overloaded{[&](const Error& error) { refuse(process, error); },
                        [&](const PublishValue& own) {
                          put(process, own.round, own.value);
                          later(process, [this, &process] { handle_round(process, Published{}); });
                        },
                        [&](const WaitForAll&) {
                          fence(process, [this, &process](bool all_came) {
                            handle_round(process, AllWaited{timeout_s, {}, all_came});
                          });
                        },
                        [&](const ReadValue& wanted) {
                          later(process, [this, &process, wanted] {
                            handle_round(process, ValueRead{get(wanted.round, wanted.rank)});
                          });
                        },
                        [&](const OffersKnown& known) { on_offers(process, known.offers); }},
             step);
}

// The launcher.

void JoiningJob::put(Process& process, Round round, const std::string& value) {
  if (value.size() > longest_value) fail(fmt::format("a value of {} bytes", value.size()));
  if (!values_.emplace(std::pair(round, process.rank), value).second)
    fail(fmt::format("rank {} publishes {} twice", process.rank, name_of(round)));
}

std::string JoiningJob::get(Round round, std::uint32_t rank) {
  const auto found = values_.find({round, rank});
  if (found != values_.end()) return found->second;
  fail(fmt::format("{} of rank {} is read, which has not published it", name_of(round), rank));
  return {};
}

// All ranks must enter it, as many times.
void JoiningJob::fence(Process& process, std::function<void(bool all_came)> done) {
  Waiting& waiting = fences_[process.fences++];
  waiting.emplace_back(&process, std::move(done));
  if (waiting.size() == processes_.size()) {
    for (auto& [one, then] : waiting)
      if (one->state == Process::State::joins) later(*one, [then] { then(true); });
    return;
  }
  const Time until = std::max(process.began + timeout_ns, schedule_.now());
  schedule_.at(until, [this, &process, &waiting, number = waiting.size() - 1] {
    const bool is_complete = waiting.size() == processes_.size();
    if (process.state == Process::State::joins && !is_complete) waiting[number].second(false);
  });
}

// A rank that has come, and gives up as early as this one, must not be missed.
std::vector<std::uint32_t> JoiningJob::missing(const Process& process) {
  std::vector<std::uint32_t> ranks;
  for (const auto& other : processes_) {
    if (other->host == process.host && other->has_name) continue;
    ranks.push_back(other->rank);
    const bool lives =
        other->state != Process::State::absent && other->state != Process::State::dead;
    if (other->host == process.host && lives)
      fail(fmt::format("rank {} is missed by rank {}, and has come", other->rank, process.rank));
  }
  return ranks;
}

// Hosts and guests.

void JoiningJob::be_host(Process& process, BeHost host) {
  const NodeShare& share = host.nodes[host.node];
  if (index(share.node_ranks().front()) != process.rank)
    return fail(fmt::format("rank {} makes the memory of a node of others", process.rank));
  if (!process.invitation) return fail(fmt::format("rank {} has no server", process.rank));
  if (process.invitation->tag != host.tag)
    return fail(fmt::format("the server of rank {} has another tag than the job", process.rank));
  process.guests.emplace(share, process.invitation->password);
  process.is_host = std::move(host);
  if (process.is_host->nodes.size() == 1) return serve(process);
  later(process, [this, &process] {  // its agent has started
    offers_[process.rank] = write_offer({*process.invitation, draw_contact(random_)});
    std::vector<std::uint32_t> hosts;
    for (const NodeShare& node : process.is_host->nodes)
      hosts.push_back(index(node.node_ranks().front()));
    process.round.emplace(offers_[process.rank], std::move(hosts));
    handle_round(process, RoundBegins{});
  });
}

void JoiningJob::on_offers(Process& process, const std::vector<NodeOffer>& offers) {
  if (process.guest) return visit(process, process.guest->host, offers.at(0).invitation);
  const std::vector<NodeShare>& nodes = process.is_host->nodes;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (write_offer(offers.at(node)) != offers_[index(nodes[node].node_ranks().front())])
      fail(
          fmt::format("rank {} knows node {} by another address than its own", process.rank, node));
  serve(process);
}

void JoiningJob::serve(Process& process) {
  process.state = Process::State::serves;
  if (process.guests->missing().empty()) return join(process);
  schedule_.at(std::max(process.began + timeout_ns, schedule_.now()), [this, &process] {
    if (process.is_active()) refuse(process, {Errc::peer_lost, "guests are missing"});
  });
}

void JoiningJob::visit(Process& process, std::uint32_t rank, const Invitation& invitation) {
  // The address leads to a rank.
  const auto host_rank = static_cast<std::uint32_t>(std::stoul(invitation.address, nullptr, 16));
  Process& host = *processes_.at(host_rank);
  if (is_in_order_ && (host_rank != rank || host.invitation->tag != invitation.tag))
    return fail(fmt::format("rank {} visits rank {} by another invitation", process.rank, rank));
  const bool can_come =
      host.state == Process::State::joins && schedule_.now() < process.began + timeout_ns;
  if (can_come)
    return later(process, [this, &process, rank, invitation] { visit(process, rank, invitation); });
  if (host.state != Process::State::serves)
    return refuse(process, {Errc::peer_lost, "the first rank of its node is gone"});
  if (!host.guests->admit(invitation.password, process.rank))
    return fail(fmt::format("rank {} is rejected by rank {}", process.rank, rank));
  process.node = rank;
  join(process);
  if (host.guests->missing().empty()) join(host);
}

void JoiningJob::join(Process& process) {
  process.state = Process::State::joined;
  process.node = process.node.value_or(process.rank);
  log([&] {
    return fmt::format("rank {} joins the node of rank {}", process.rank, *process.node);
  });
}

void JoiningJob::refuse(Process& process, const Error& error) {
  process.state = Process::State::refused;
  process.has_name = false;
  log([&] { return fmt::format("rank {}: {}", process.rank, error.text); });
  if (schedule_.now() > process.began + timeout_ns + late_ns)
    fail(fmt::format("rank {} gives up too late", process.rank));
}

// The whole.

void JoiningJob::judge() {
  std::map<std::uint32_t, std::uint32_t> sizes;  // of nodes
  for (const auto& process : processes_) {
    if (process->is_active()) return fail(fmt::format("rank {} waits for ever", process->rank));
    if (process->node) ++sizes[*process->node];
    const bool has_joined = process->state == Process::State::joined;
    if (all_come_ && is_in_order_ && !has_joined)
      return fail(fmt::format("all ranks come, and rank {} does not join", process->rank));
    if (process->node && processes_[*process->node]->host != process->host)
      return fail(fmt::format("rank {} shares memory with another host", process->rank));
  }
  if (!is_in_order_ && processes_[0]->state == Process::State::joined && node_ranks_ == 0)
    fail("the ranks are not in order, and rank 0 does not say so");
  for (const auto& [first, size] : sizes)
    if (node_ranks_ != 0 && size > node_ranks_)
      fail(fmt::format("{} ranks share the memory of rank {}", size, first));
}

void JoiningJob::fail(const std::string& wrong) {
  if (!report_.wrong.empty()) return;
  report_.wrong = wrong;
  log([&] { return "WRONG: " + wrong; });
}

template <typename Words>
void JoiningJob::log(Words words) {
  if (logs_) report_.note(schedule_.now(), words());
}

}  // namespace gondwana::simulation
