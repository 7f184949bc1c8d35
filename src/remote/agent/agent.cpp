#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "core/machine.hpp"
#include "network/networks.hpp"
#include "remote/agent/implementation.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

using network::Peer;
using remote::Control;
using remote::MessageKind;

constexpr network::Receives receives{.buffers = 8, .longest = remote::longest_packet};
// How long the agent polls before it sleeps, if a processor is free. A client that sends its next
// request after each answer does so within this time.
constexpr std::uint64_t spin_ns = 50'000;
// Yields before a sleep if no processor is free: about as long as a client takes to send again.
constexpr std::uint32_t yields_when_crowded = 4;
// The longest sleep: wake-ups of providers are hints.
constexpr int longest_sleep_ms = 100;
constexpr std::uint64_t between_file_looks_ns = 1'000'000'000;
// How long answers may take to leave when the job ends.
constexpr std::uint64_t last_answers_ns = 2'000'000'000;

// Rounds up where the kernel has no finer timeout.
void wait_for_event(int epoll, std::chrono::nanoseconds limit) {
  std::array<epoll_event, 2> events{};
  const timespec time{limit.count() / 1'000'000'000, limit.count() % 1'000'000'000};
  const auto size = static_cast<int>(events.size());
  if (::epoll_pwait2(epoll, events.data(), size, &time, nullptr) >= 0 || errno != ENOSYS) return;
  ::epoll_wait(epoll, events.data(), size, static_cast<int>(limit.count() / 1'000'000) + 1);
}

}  // namespace

Result<std::unique_ptr<NodeAgent::Implementation>> NodeAgent::Implementation::open(
    const Setup& setup) {
  std::unique_ptr<Implementation> agent(new Implementation(setup));
  if (const Result<void> done = agent->open_endpoint(setup.settings); !done) return done.error();
  agent->contact_ = agent->make_contact();
  setup.memory->header().files_served.store(1, std::memory_order_relaxed);  // before the info
  return agent;
}

// One registration covers all arenas of the node, which lie in one range. Providers that pin
// registered memory would pin all of it. They are untested.
Result<void> NodeAgent::Implementation::open_endpoint(const network::Settings& settings) {
  Result<std::unique_ptr<network::Endpoint>> endpoint = network::open_endpoint(settings, receives);
  if (!endpoint) return endpoint.error();
  endpoint_ = *std::move(endpoint);
  const NodePlan& plan = memory_->plan();
  Result<std::unique_ptr<network::Registration>> registration =
      endpoint_->register_memory({memory_->window(plan.node_ranks().front()), plan.range_size()});
  if (!registration) return registration.error();
  registration_ = *std::move(registration);
  return {};
}

NodeContact NodeAgent::Implementation::make_contact() const {
  const NodePlan& plan = memory_->plan();
  NodeInfo info{};
  info.layout = remote::protocol_fingerprint();
  info.ranks = plan.node_ranks();
  info.memory = usable_memory() / info.ranks.size();
  info.carries = carried_.empty() ? 0 : 1;
  info.stride = plan.stride;
  ::gethostname(info.host.data(), info.host.size() - 1);
  endpoint_->kind().copy(info.network.data(), info.network.size() - 1);
  return {info, endpoint_->address(), registration_->key()};
}

void NodeAgent::Implementation::serve(int control) {
  memory_->header().agent_load.process.store(static_cast<std::uint32_t>(::getpid()),
                                             std::memory_order_relaxed);
  if (const std::size_t ring_size = memory_->plan().ring_size; ring_size > 0)
    Tracer::open(shared_at<TracePlace>(memory_->trace_of_agent(), 0), ring_size);
  sleeper_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(sleeper_.get(), EPOLL_CTL_ADD, control, &event);
  if (endpoint_->wait_descriptor() >= 0)
    ::epoll_ctl(sleeper_.get(), EPOLL_CTL_ADD, endpoint_->wait_descriptor(), &event);
  listen_to_ranks();
  for (;;) {
    while (yields_until([this] {
      watch_nodes();
      look_at_files();
      look_at_ranks();
      look_at_batches();
      return step();
    })) {
    }
    if (network_stirs()) continue;
    wait();
    pollfd order{control, POLLIN, 0};
    if (::poll(&order, 1, 0) > 0) break;
  }
  look_for_lost_ranks();
  tell_farewell();
  const std::uint64_t until = monotonic_ns() + last_answers_ns;
  const auto has_to_tell = [this] {
    send_alarms();
    return !to_alarm_.empty() || (!alarm_.empty() && leaving_ > 0);
  };
  while ((step() || has_answers() || has_to_carry() || has_to_tell() || !taken_batches_.empty()) &&
         monotonic_ns() < until) {
  }
}

// False: the time or the yields are used up.
bool NodeAgent::Implementation::yields_until(FunctionRef<bool()> done) const {
  const std::uint64_t start = monotonic_ns();
  for (std::uint32_t yields = 0;; ++yields) {
    if (done()) return true;
    if (may_spin_ ? monotonic_ns() - start >= spin_ns : yields >= yields_when_crowded) return false;
    ::sched_yield();
  }
}

bool NodeAgent::Implementation::step() {
  const auto take = [this](Bytes bytes) { on_message(bytes); };
  const auto left = [this](network::Operation& buffer) {
    has_left(static_cast<SendBuffer&>(buffer));
  };
  const auto lost = [this](const network::Operation* buffer, const std::string& why) {
    has_failed(buffer, why);
  };
  follow_files();
  const bool found = endpoint_->poll({take, left, lost}) > 0;
  resume_stalled();
  send_taken_batches();  // before newer ones take the room
  const bool carried = carry();
  send_passed();
  send_answers();
  show_load();
  ring();
  return found || carried;
}

void NodeAgent::Implementation::show_load() const {
  AgentLoad& load = memory_->header().agent_load;
  const std::size_t waiting =
      to_answer_.size() + to_pass_.size() + stalled_.size() + taken_batches_.size();
  load.waiting.store(static_cast<std::uint32_t>(waiting), std::memory_order_relaxed);
  load.leaving.store(leaving_, std::memory_order_relaxed);
}

// step() does not see puts and gets that the library carries out itself. Without a look at the
// descriptor, the agent would sleep in the midst of a stream.
bool NodeAgent::Implementation::network_stirs() const {
  const bool carries_out_itself = carried_.empty() && endpoint_->wait_descriptor() >= 0;
  if (!carries_out_itself || !endpoint_->may_sleep()) return false;
  return yields_until([this] {
    pollfd network{endpoint_->wait_descriptor(), POLLIN, 0};
    return ::poll(&network, 1, 0) > 0;
  });
}

void NodeAgent::Implementation::wait() {
  const bool is_stuck =
      std::ranges::any_of(to_answer_, [this](auto to) { return this->is_stuck(to); });
  if (!stalled_.empty()) return static_cast<void>(::sched_yield());  // the holder may need it
  const bool may_sleep = endpoint_->may_sleep() && !is_stuck;
  // A provider without a descriptor is polled again soon, and so is a rank that does not take its
  // messages.
  const int most = to_pass_.empty() ? longest_sleep_ms : 1;
  const int limit = may_sleep ? most : endpoint_->wait_descriptor() < 0 ? 1 : 0;
  const std::chrono::milliseconds beside(std::min(limit, longest_sleep_beside_ranks()));
  const std::chrono::nanoseconds length =
      std::min<std::chrono::nanoseconds>(beside, longest_sleep_beside_batches());
  wait_for_event(sleeper_.get(), length);
  memory_->header().agent_bell.lower();
}

// Ranks ask for this before they tell other ranks where the files lie. The registration covers the
// range, whatever is mapped there: correct for all providers that do not pin.
void NodeAgent::Implementation::follow_files() {
  const std::uint32_t asked = memory_->header().files_asked.load(std::memory_order_acquire);
  if (asked == files_asked_) return;
  files_asked_ = asked;
  for (const Rank rank : memory_->roster().here())
    for (std::size_t number = 0; number < ArenaFiles::most; ++number) follow_file(rank, number);
}

void NodeAgent::Implementation::follow_file(Rank rank, std::size_t number) {
  ArenaFile& file = memory_->files(rank).list[number];
  const std::uint32_t version = file.version.load(std::memory_order_acquire);
  if (version == file.laid.load(std::memory_order_relaxed)) return;
  const bool is_laid = static_cast<bool>(files_.follow(rank, number));
  file.trouble.store(is_laid ? 0 : 1, std::memory_order_relaxed);
  file.laid.store(version, std::memory_order_release);  // pairs with is_known_to_agent()
}

void NodeAgent::Implementation::look_at_files() {
  if (files_asked_ == 0 || !on_shortened_file_) return;
  const std::uint64_t now = monotonic_ns();
  if (now < next_file_look_ns_) return;
  next_file_look_ns_ = now + between_file_looks_ns;
  const std::optional<Rank> before = std::exchange(shortened_, files_.find_shortened());
  if (shortened_ && before == shortened_) on_shortened_file_(*shortened_);
}

bool NodeAgent::Implementation::all_have_answered() const {
  return std::ranges::all_of(watched_, [](const auto& each) { return each.second.has_answered; });
}

// A node that is silent for longer than the peer timeout is lost. Nodes that end in order are not
// missed: a job ends everywhere at once.
void NodeAgent::Implementation::watch_nodes() {
  const std::uint64_t now = monotonic_ns();
  if (peer_timeout_ns_ == 0 || now < next_watch_ns_) return;
  // An agent that was stopped or had no processor has heard nothing meanwhile.
  const bool was_away = now - next_watch_ns_ > peer_timeout_ns_ / 4;
  next_watch_ns_ = now + peer_timeout_ns_ / (all_have_answered() ? 4 : 16);
  const NodePlan& plan = memory_->plan();
  for (std::uint32_t node = 0; node < memory_->roster().nodes(); ++node) {
    const NodeEntry& entry = memory_->entry(node);
    if (node == plan.node || entry.is_used.load(std::memory_order_relaxed) == 0) continue;
    if (entry.state.load(std::memory_order_relaxed) != NodeState::known) continue;
    const auto [watched, is_new] = watched_.try_emplace(node);
    if (is_new || was_away) watched->second.heard_ns = now;
    greet(node, watched->second);
    if (now - std::min(now, watched->second.heard_ns) > peer_timeout_ns_)
      lose(node, NodeState::silent);
  }
}

// A failed send counts as silence. The hello is repeated until an answer comes: a provider may
// accept it and lose it together with the connection that it opens.
void NodeAgent::Implementation::greet(std::uint32_t node, Watched& watched) {
  if (watched.peer == network::no_peer) {
    const Result<Peer> peer = endpoint_->add_peer(memory_->nodes().address(node));
    if (!peer) return;
    watched.peer = *peer;
  }
  if (!watched.has_answered) introduce(node, watched.peer);
  const Control beat{.tag = tag_,
                     .kind = MessageKind::beat,
                     .from = remote::agent_number(memory_->plan().node),
                     .number = ++watched.beats};
  [[maybe_unused]] const Result<Posted> sent =
      endpoint_->inject(watched.peer, std::as_bytes(std::span(&beat, 1)));
}

void NodeAgent::Implementation::introduce(std::uint32_t node, Peer peer) {
  const Bytes address = endpoint_->address();
  const Control hello{
      .tag = tag_, .from = remote::agent_number(memory_->plan().node), .size = address.size()};
  const std::uint32_t there = remote::agent_number(node);
  SendBuffer& buffer = take_buffer(there, sizeof(hello) + address.size());
  std::ranges::copy(address, remote::write(buffer.bytes.data(), hello));
  [[maybe_unused]] const Result<Posted> sent = send(peer, buffer);
}

// Ranks check it several times a second, even while they sleep.
void NodeAgent::Implementation::lose(std::uint32_t node, NodeState how) {
  memory_->entry(node).state.store(how, std::memory_order_release);
}

Result<std::string> describe_network(const network::Settings& settings) {
  const Result<std::unique_ptr<network::Endpoint>> endpoint = network::open_endpoint(settings, {});
  if (!endpoint) return endpoint.error();
  return (*endpoint)->describe();
}

NodeAgent::NodeAgent(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

NodeAgent::~NodeAgent() = default;

Result<std::unique_ptr<NodeAgent>> NodeAgent::open(const Setup& setup) {
  Result<std::unique_ptr<Implementation>> implementation = Implementation::open(setup);
  if (!implementation) return implementation.error();
  return std::unique_ptr<NodeAgent>(new NodeAgent(*std::move(implementation)));
}

const NodeContact& NodeAgent::contact() const {
  return implementation_->contact();
}

NodeAgent::Dropped NodeAgent::dropped() const {
  return implementation_->dropped();
}

void NodeAgent::serve(int control) {
  implementation_->serve(control);
}

}  // namespace gondwana
