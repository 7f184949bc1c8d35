#include "remote/agent/agent.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "core/function_ref.hpp"
#include "core/machine.hpp"
#include "memory/death_list.hpp"
#include "network/networks.hpp"
#include "remote/agent/agent_sleep.hpp"
#include "remote/agent/answers.hpp"
#include "remote/agent/batch_turns.hpp"
#include "remote/agent/carrier.hpp"
#include "remote/agent/executor.hpp"
#include "remote/agent/job_watch.hpp"
#include "remote/agent/left_batches.hpp"
#include "remote/agent/node_watch.hpp"
#include "remote/agent/outbox.hpp"
#include "remote/agent/passed_messages.hpp"
#include "remote/agent/served_files.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

using remote::Control;
using remote::MessageKind;

constexpr network::Receives receives{.buffers = 8, .longest = remote::longest_packet};
// The longest sleep. It is limited because wake-ups of providers are hints.
constexpr int longest_sleep_ms = 100;
// The time that replies may take to leave when the job ends.
constexpr std::uint64_t last_answers_ns = 2'000'000'000;

std::string host_name() {
  std::array<char, NodeInfo::longest_host> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

// Only the first request identifies a batch of messages. The number does not: batch numbers wrap
// around, so any batch may have number 0.
bool is_of_messages(const remote::ReceivedBatch& received) {
  const auto first = remote::read<remote::Request>(received.requests);
  return first && first->kind == remote::RequestKind::message;
}

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Each part has one task and reads no clock. This class has a member for each part, and passes
// messages and the time to them.
class AgentOfParts final : public NodeAgent {
 public:
  static Result<std::unique_ptr<NodeAgent>> open(const Setup& setup);

  const NodeContact& contact() const override { return contact_; }
  void serve(int control) override;
  Dropped dropped() const override {
    return {outbox_.endpoint().refused(), turns_.repeated(),
            misdirected_ + carrier_.misdirected() + left_batches_.misdirected()};
  }

 private:
  AgentOfParts(const Setup& setup, std::unique_ptr<network::Endpoint> endpoint);

  NodeContact make_contact() const;
  bool check();
  bool step();
  void show_load() const;  // for tools
  bool is_network_active() const;
  void wait();
  void on_message(Bytes bytes);
  void on_batch(const remote::ReceivedBatch& received, Bytes bytes);
  void on_messages(const remote::ReceivedBatch& received, Bytes bytes);
  void on_packet(std::uint32_t to, Bytes packet);
  void on_control(const remote::ReceivedControl& received);
  void meet(const remote::ReceivedControl& hello);
  void refuse(std::uint32_t rank, const std::string& why);
  void has_failed(const network::Operation* operation, const std::string& why);
  bool has_to_tell();

  std::shared_ptr<NodeMemory> memory_;
  std::shared_ptr<Kinds> kinds_;
  std::uint64_t tag_;
  std::string host_;
  remote::Outbox outbox_;
  DeathList deaths_;
  remote::Executor executor_;
  remote::Answers answers_;
  remote::BatchTurns turns_;
  remote::LeftBatches left_batches_;
  remote::Carrier carrier_;
  remote::PassedMessages passed_;
  remote::NodeWatch nodes_;
  remote::JobWatch job_;
  remote::ServedFiles files_;
  NodeContact contact_;
  std::uint64_t misdirected_ = 0;
  remote::AgentSleep sleep_;
  std::unique_ptr<network::Registration> registration_;  // last: destroyed before the endpoint
};

AgentOfParts::AgentOfParts(const Setup& setup, std::unique_ptr<network::Endpoint> endpoint)
    : memory_(setup.memory),
      kinds_(setup.kinds ? setup.kinds : std::make_shared<Kinds>()),
      tag_(setup.job_tag),
      host_(host_name()),
      outbox_(memory_, tag_, std::move(endpoint)),
      deaths_(*memory_),
      executor_(*memory_, *kinds_),
      answers_(outbox_, executor_, tag_, memory_->plan().node),
      turns_(*memory_, tag_, executor_, answers_,
             [this](std::uint32_t rank, const std::string& why) { refuse(rank, why); }),
      left_batches_(
          *memory_, outbox_,
          {.on_own = [this](Bytes batch) { on_message(batch); },
           .on_cut_off = [this](std::uint32_t node) { nodes_.lose(node, NodeState::cut_off); }}),
      carrier_(
          *memory_, outbox_,
          {.on_own = [this](Bytes message) { on_message(message); },
           .send_batch = [this](BatchSlot& slot) { return left_batches_.send(slot); },
           .on_cut_off = [this](std::uint32_t node) { nodes_.lose(node, NodeState::cut_off); }}),
      passed_(*memory_, outbox_, host_),
      nodes_(*memory_, outbox_, std::uint64_t{setup.peer_timeout_s} * 1'000'000'000),
      job_(*memory_, outbox_, host_, std::uint64_t{setup.peer_timeout_s} * 1'000'000'000),
      files_(*memory_, setup.on_shortened_file),
      sleep_(setup.may_spin) {
  if (setup.carries) carrier_.begin();
}

// One registration covers all arenas of the node, which are in one range. Providers that pin
// registered memory would pin all of it. They are untested.
Result<std::unique_ptr<NodeAgent>> AgentOfParts::open(const Setup& setup) {
  Result<std::unique_ptr<network::Endpoint>> endpoint =
      network::open_endpoint(setup.settings, receives);
  if (!endpoint) return endpoint.error();
  std::unique_ptr<AgentOfParts> agent(new AgentOfParts(setup, *std::move(endpoint)));
  const NodePlan& plan = setup.memory->plan();
  Result<std::unique_ptr<network::Registration>> registration =
      agent->outbox_.endpoint().register_memory(
          {setup.memory->window(plan.node_ranks().front()), plan.range_size()});
  if (!registration) return registration.error();
  agent->registration_ = *std::move(registration);
  agent->contact_ = agent->make_contact();
  setup.memory->header().files_served.store(1, std::memory_order_relaxed);  // then the info follows
  return std::unique_ptr<NodeAgent>(std::move(agent));
}

NodeContact AgentOfParts::make_contact() const {
  const NodePlan& plan = memory_->plan();
  NodeInfo info{};
  info.layout = remote::protocol_fingerprint();
  info.ranks = plan.node_ranks();
  // All ranks that may be added may be on this host.
  info.memory = usable_memory() / (info.ranks.size() + plan.added_ranks());
  info.carries = carrier_.is_on() ? 1 : 0;
  info.stride = plan.stride;
  host_.copy(info.host.data(), info.host.size() - 1);
  outbox_.endpoint().kind().copy(info.network.data(), info.network.size() - 1);
  return {info, outbox_.endpoint().address(), registration_->key()};
}

void AgentOfParts::serve(int control) {
  memory_->header().agent_load.process.store(static_cast<std::uint32_t>(::getpid()),
                                             std::memory_order_relaxed);
  if (const std::size_t ring_size = memory_->plan().ring_size; ring_size > 0)
    Tracer::open(shared_at<TracePlace>(memory_->trace_of_agent(), 0), ring_size);
  sleep_.end_with({control, outbox_.endpoint().wait_descriptor()}, memory_->agent_bell());
  for (;;) {
    while (sleep_.yields_until([this] { return check(); })) continue;
    if (is_network_active()) continue;
    wait();
    pollfd order{control, POLLIN, 0};
    if (::poll(&order, 1, 0) > 0) break;
  }
  job_.check_for_lost_ranks();
  job_.tell_farewell();
  const std::uint64_t until = monotonic_ns() + last_answers_ns;
  while ((step() || answers_.waiting() > 0 || passed_.waiting() > 0 ||
          outbox_.is_leaving_to_ranks() || carrier_.has_messages() || has_to_tell() ||
          left_batches_.waiting() > 0) &&
         monotonic_ns() < until) {
  }
}

bool AgentOfParts::check() {
  const std::uint64_t now = monotonic_ns();
  nodes_.check(now);
  files_.check(now);
  job_.check(now);
  left_batches_.check(now);
  const bool found = step();
  if (executor_.take_has_passed()) sleep_.expect_chunk();
  return found;
}

// Ranks are woken after the replies are posted, because a wake-up takes half of a round trip. A
// rank that waits for another word stays asleep.
bool AgentOfParts::step() {
  const auto take = [this](Bytes bytes) { on_message(bytes); };
  const auto left = [this](network::Operation& buffer) {
    outbox_.on_sent(static_cast<remote::SendBuffer&>(buffer));
  };
  const auto lost = [this](const network::Operation* buffer, const std::string& why) {
    has_failed(buffer, why);
  };
  files_.follow();
  executor_.follow_spaces();
  const bool found = outbox_.endpoint().poll({take, left, lost}) > 0;
  turns_.resume_stalled();
  left_batches_.send_taken();  // before newer batches take the space
  const bool carried = carrier_.carry();
  passed_.send();
  answers_.send();
  show_load();
  executor_.ring();
  carrier_.ring();
  return found || carried;
}

void AgentOfParts::show_load() const {
  AgentLoad& load = memory_->header().agent_load;
  const std::size_t waiting =
      answers_.waiting() + passed_.waiting() + turns_.stalled() + left_batches_.waiting();
  load.waiting.store(static_cast<std::uint32_t>(waiting), std::memory_order_relaxed);
  load.leaving.store(outbox_.leaving(), std::memory_order_relaxed);
}

// step() does not see puts and gets that the library carries out itself. Without a check of the
// descriptor, the agent would sleep during a stream of them.
bool AgentOfParts::is_network_active() const {
  network::Endpoint& endpoint = outbox_.endpoint();
  const bool carries_out_itself = !carrier_.is_on() && endpoint.wait_descriptor() >= 0;
  if (!carries_out_itself || !endpoint.may_sleep()) return false;
  return sleep_.yields_until([&endpoint] {
    pollfd network{endpoint.wait_descriptor(), POLLIN, 0};
    return ::poll(&network, 1, 0) > 0;
  });
}

void AgentOfParts::wait() {
  const bool is_stuck = answers_.are_stuck();
  if (turns_.stalled() > 0) {
    ::sched_yield();  // the holder of the lock may need the processor
    return;
  }
  network::Endpoint& endpoint = outbox_.endpoint();
  const bool may_sleep = endpoint.may_sleep() && !is_stuck;
  // The sleep is short for a provider without a descriptor, and for a rank that does not take its
  // messages.
  const int most = passed_.waiting() == 0 ? longest_sleep_ms : 1;
  const int limit = may_sleep ? most : endpoint.wait_descriptor() < 0 ? 1 : 0;
  const std::chrono::milliseconds beside(std::min(limit, carrier_.longest_sleep()));
  const std::chrono::nanoseconds length =
      std::min<std::chrono::nanoseconds>(beside, left_batches_.longest_sleep(monotonic_ns()));
  sleep_.wait(length);
  memory_->header().agent_bell.lower();
}

void AgentOfParts::on_message(Bytes bytes) {
  const NodePlan& plan = memory_->plan();
  if (const auto batch = remote::read_batch(bytes, tag_, plan)) return on_batch(*batch, bytes);
  if (const auto to = remote::addressee(bytes, tag_)) return on_packet(*to, bytes);
  if (const auto control = remote::read_control(bytes, tag_, plan)) return on_control(*control);
  outbox_.endpoint().refuse();
}

// Nothing of a dead process changes memory once the ranks of this node can know of its death.
void AgentOfParts::on_batch(const remote::ReceivedBatch& received, Bytes bytes) {
  if (deaths_.has({received.batch.from, received.incarnation})) return;
  if (is_of_messages(received)) return on_messages(received, bytes);
  turns_.take(received, bytes);
}

// All messages of a batch have the same receiver.
void AgentOfParts::on_messages(const remote::ReceivedBatch& received, Bytes bytes) {
  const auto first = remote::read_request(received.requests, memory_->plan());
  if (!first) return outbox_.endpoint().refuse();
  const auto to = Rank(first->request.to);
  if (carrier_.is_on()) return carrier_.deliver(to, bytes);
  passed_.pass(to, bytes);
}

// The packet is for a rank whose messages the agent carries, or it is another agent's reply to a
// beat.
void AgentOfParts::on_packet(std::uint32_t to, Bytes packet) {
  const NodePlan& plan = memory_->plan();
  if (carrier_.is_on() && plan.node_ranks().holds(Rank(to)))
    return carrier_.deliver(Rank(to), packet);
  const auto answer =
      remote::read_reply(packet, tag_, remote::agent_number(plan.node), plan.node_slots());
  if (!answer || !nodes_.hear(answer->reply.node, monotonic_ns())) ++misdirected_;
}

void AgentOfParts::on_control(const remote::ReceivedControl& received) {
  const Control& control = received.control;
  switch (control.kind) {
    case MessageKind::hello:
      return meet(received);
    case MessageKind::beat:
      return answers_.owe(control.from, control.number);
    case MessageKind::ask:
      return job_.answer(control);
    case MessageKind::report:
      return job_.hear(control, received.payload, monotonic_ns());
    default:
      return remote::declare_over(memory_->header(), text_of(received.payload));
  }
}

// The first hello of a process drops the state that its predecessor in this rank left.
void AgentOfParts::meet(const remote::ReceivedControl& hello) {
  const std::uint32_t from = hello.control.from;
  if (!turns_.may_meet(from, hello.incarnation) || !outbox_.meet(from, hello.payload)) return;
  turns_.meet(from, hello.incarnation);
  answers_.meet(from, hello.incarnation);
  answers_.owe(from, 0);
}

void AgentOfParts::refuse(std::uint32_t rank, const std::string& why) {
  outbox_.endpoint().refuse();
  remote::declare_over(memory_->header(),
                       fmt::format("the agent of host {} cannot carry out a request of rank {}: {}",
                                   host_, rank, why));
}

void AgentOfParts::has_failed(const network::Operation* operation, const std::string& why) {
  remote::SendBuffer* failed = outbox_.find(operation);
  if (failed == nullptr) return;
  if (failed->is_carried) nodes_.lose(remote::node_of_agent(failed->to), NodeState::cut_off);
  if (memory_->roster().is_here(Rank(failed->to))) passed_.tell_undelivered(failed->to, why);
  outbox_.on_sent(*failed);
}

// Whether some other agents do not yet know why the job is over.
bool AgentOfParts::has_to_tell() {
  return !job_.send_alarms() || (job_.has_alarm() && outbox_.leaving() > 0);
}

}  // namespace

Result<std::string> describe_network(const network::Settings& settings) {
  const Result<std::unique_ptr<network::Endpoint>> endpoint = network::open_endpoint(settings, {});
  if (!endpoint) return endpoint.error();
  return (*endpoint)->describe();
}

Result<std::unique_ptr<NodeAgent>> NodeAgent::open(const Setup& setup) {
  return AgentOfParts::open(setup);
}

}  // namespace gondwana
