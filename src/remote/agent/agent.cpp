#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "core/machine.hpp"
#include "network/networks.hpp"
#include "operations/copy.hpp"
#include "remote/agent/implementation.hpp"

namespace gondwana {
namespace {

using network::Peer;
using remote::PacketKind;
using remote::ReceivedRequest;
using remote::Request;
using remote::RequestKind;
using remote::Row;

constexpr network::Receives receives{.buffers = 8, .longest = remote::longest_request};
// How long to look for more before sleeping, where a processor is free: the next request of who
// waits for the answer to the one before comes within it.
constexpr std::uint64_t spin_ns = 50'000;
// Where there is none: about as often as it takes who asked to ask again.
constexpr std::uint32_t yields_when_crowded = 4;
// A sleep ends by itself after that: wake-ups of providers are hints.
constexpr int longest_sleep_ms = 100;
constexpr std::uint64_t between_file_looks_ns = 1'000'000'000;
// How long answers may take to leave when the job ends.
constexpr std::uint64_t last_answers_ns = 2'000'000'000;

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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

// One registration for all arenas of the node: they lie in one range. Providers that pin what is
// registered would pin all of that; they are not among those that this version was run with.
Result<void> NodeAgent::Implementation::open_endpoint(const network::Settings& settings) {
  Result<std::unique_ptr<network::Endpoint>> endpoint = network::open_endpoint(settings, receives);
  if (!endpoint) return endpoint.error();
  endpoint_ = *std::move(endpoint);
  const NodePlan& plan = memory_->plan();
  Result<std::unique_ptr<network::Registration>> registration =
      endpoint_->register_memory({memory_->window(Rank(plan.first)), plan.range_size()});
  if (!registration) return registration.error();
  registration_ = *std::move(registration);
  return {};
}

NodeContact NodeAgent::Implementation::make_contact() const {
  const NodePlan& plan = memory_->plan();
  NodeInfo info{};
  info.layout = remote::protocol_fingerprint;
  info.first = plan.first;
  info.ranks = plan.ranks;
  info.memory = usable_memory() / plan.ranks;
  info.carries = carried_.empty() ? 0 : 1;
  info.stride = plan.stride;
  ::gethostname(info.host.data(), info.host.size() - 1);
  endpoint_->kind().copy(info.network.data(), info.network.size() - 1);
  return {info, endpoint_->address(), registration_->key()};
}

void NodeAgent::Implementation::serve(int control) {
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
  while ((step() || has_answers() || has_to_carry() || has_to_tell()) && monotonic_ns() < until) {
  }
}

// False: it is time for something else.
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
  const auto lost = [this](const network::Operation* buffer, const std::string&) {
    has_failed(buffer);
  };
  follow_files();
  const bool found = endpoint_->poll({take, left, lost}) > 0;
  const bool carried = carry();
  send_answers();
  ring();
  return found || carried;
}

// Of puts and gets that the library carries out itself steps find nothing: by them alone an agent
// would sleep in the midst of a stream. The descriptor tells.
bool NodeAgent::Implementation::network_stirs() const {
  const bool carries_out_itself = carried_.empty() && endpoint_->wait_descriptor() >= 0;
  if (!carries_out_itself || !endpoint_->may_sleep()) return false;
  return yields_until([this] {
    pollfd network{endpoint_->wait_descriptor(), POLLIN, 0};
    return ::poll(&network, 1, 0) > 0;
  });
}

void NodeAgent::Implementation::wait() {
  std::array<epoll_event, 2> events{};
  const bool is_stuck =
      std::ranges::any_of(to_answer_, [this](auto to) { return this->is_stuck(to); });
  const bool may_sleep = endpoint_->may_sleep() && !is_stuck;
  // A provider without a descriptor is asked again soon.
  const int limit = may_sleep ? longest_sleep_ms : endpoint_->wait_descriptor() < 0 ? 1 : 0;
  ::epoll_wait(sleeper_.get(), events.data(), static_cast<int>(events.size()),
               std::min(limit, longest_sleep_beside_ranks()));
  memory_->header().agent_bell.lower();
}

// Of ranks that asked for it, before they tell anybody where the files lie. What is registered is
// the range, whatever lies in it: right for all providers that do not pin.
void NodeAgent::Implementation::follow_files() {
  const std::uint32_t asked = memory_->header().files_asked.load(std::memory_order_acquire);
  if (asked == files_asked_) return;
  files_asked_ = asked;
  const NodePlan& plan = memory_->plan();
  for (std::uint32_t rank = plan.first; rank < plan.first + plan.ranks; ++rank)
    for (std::size_t number = 0; number < ArenaFiles::most; ++number)
      follow_file(Rank(rank), number);
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

void NodeAgent::Implementation::on_message(Bytes bytes) {
  if (const auto to = remote::addressee(bytes, tag_)) return on_packet(*to, bytes);
  execute(bytes);
}

// To a rank whose packets are carried, or another agent's answer to a beat.
void NodeAgent::Implementation::on_packet(std::uint32_t to, Bytes packet) {
  const NodePlan& plan = memory_->plan();
  if (!carried_.empty() && plan.holds(Rank(to))) return deliver(Rank(to), packet);
  const auto answer =
      remote::read_reply(packet, tag_, remote::agent_number(plan, plan.node), plan.nodes);
  const auto node = answer ? watched_.find(answer->reply.node) : watched_.end();
  if (node == watched_.end()) {
    ++dropped_.misdirected;
    return;
  }
  node->second.has_answered = true;
  node->second.heard_ns = monotonic_ns();
}

void NodeAgent::Implementation::execute(Bytes bytes) {
  const auto received = remote::read_request(bytes, tag_, memory_->plan());
  if (!received) return endpoint_->refuse();
  switch (received->request.kind) {
    case RequestKind::hello:
      return meet(received->request, received->behind);
    case RequestKind::beat:
      return owe(received->request);
    case RequestKind::ask:
      return answer_ask(received->request);
    case RequestKind::report:
      return hear_report(received->request, received->behind);
    case RequestKind::alarm:
      return declare_over(text_of(received->behind));
    default:
      return take_turn(*received, bytes);
  }
}

// Those of a rank one behind the other.
void NodeAgent::Implementation::take_turn(const ReceivedRequest& received, Bytes bytes) {
  remote::InOrder& order = clients_[received.request.from].order;
  const std::uint32_t number = received.request.sequence;
  if (!order.is_next(number)) {
    if (order.is_past(number) || !order.keep(number, bytes)) ++dropped_.repeated;
    return;
  }
  order.pass();
  carry_out(received);
  while (const auto next = order.pass_kept())
    carry_out(*remote::read_request(*next, tag_, memory_->plan()));
}

void NodeAgent::Implementation::carry_out(const ReceivedRequest& received) {
  const Request& request = received.request;
  if (request.kind == RequestKind::atomic) return update(request);
  if (request.kind == RequestKind::put_packed) return put_packed(received);
  if (request.kind == RequestKind::get_packed) return get_packed(received);
  const Bytes word(reinterpret_cast<const std::byte*>(&request.operand), request.size);
  store(request, request.kind == RequestKind::store ? word : received.behind);
}

void NodeAgent::Implementation::meet(const Request& request, Bytes address) {
  const Result<Peer> peer = endpoint_->add_peer(address);
  if (!peer) return;
  Client& client = clients_[request.from];
  client.peer = *peer;
  client.done = request.sequence;
  client.owed = false;
  client.order = {};
  client.answers.clear();
}

// What came before it over this connection is visible before it.
void NodeAgent::Implementation::store(const Request& request, Bytes bytes) {
  std::atomic_thread_fence(std::memory_order_release);
  copy_to_peer(place_of(request), bytes.data(), bytes.size());
  written_.push_back({request.to, request.offset, bytes.size()});
  owe(request);
}

void NodeAgent::Implementation::put_packed(const ReceivedRequest& received) {
  std::atomic_thread_fence(std::memory_order_release);
  std::byte* arena = memory_->window(Rank(received.request.to));
  const std::byte* packed = received.packed().data();
  for (std::size_t i = 0; i < received.rows(); ++i) {
    const Row row = received.row(i);
    copy_pieces({arena + row.offset, row.step}, {packed, std::ptrdiff_t{row.size}}, row.size,
                row.count);
    packed += row.bytes();
    note_written(received.request.to, row);
  }
  owe(received.request);
}

void NodeAgent::Implementation::note_written(std::uint32_t rank, const Row& row) {
  const std::ptrdiff_t distance = row.step * (static_cast<std::ptrdiff_t>(row.count) - 1);
  const auto below = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(-distance, 0));
  written_.push_back(
      {rank, row.offset - below, static_cast<std::size_t>(std::abs(distance)) + row.size});
}

void NodeAgent::Implementation::get_packed(const ReceivedRequest& received) {
  const Request& request = received.request;
  Client& client = clients_[request.from];
  client.done = request.sequence;
  client.owed = false;
  Answer bytes{.reply = {.kind = PacketKind::bytes, .sequence = request.sequence},
               .at = Rank(request.to)};
  for (std::size_t i = 0; i < received.rows(); ++i) {
    bytes.rows.push_back(received.row(i));
    bytes.reply.value += bytes.rows.back().bytes();
  }
  answer(request.from, std::move(bytes));
}

void NodeAgent::Implementation::update(const Request& request) {
  const AtomicRequest atomic{request.op, request.type, request.operand, request.compare};
  const std::uint64_t old = find_executor(request.op, request.type)(place_of(request), atomic);
  if (request.op != AtomicOp::fetch)
    written_.push_back({request.to, request.offset, width(request.type)});
  if (request.size == 0) return owe(request);
  Client& client = clients_[request.from];
  client.done = request.sequence;
  client.owed = false;
  answer(request.from,
         {.reply = {.kind = PacketKind::word, .sequence = request.sequence, .value = old}});
}

// One answer for all that one look finds.
void NodeAgent::Implementation::owe(const Request& request) {
  Client& client = clients_[request.from];
  client.done = request.sequence;
  if (!client.owed) owed_.push_back(request.from);
  client.owed = true;
}

// After the answers: to wake somebody takes as long as half of a round trip. So who waits for
// another word is let asleep.
void NodeAgent::Implementation::ring() {
  for (const Written& each : written_)
    memory_->data_bell(Rank(each.rank)).ring_if_watched(each.offset, each.size);
  written_.clear();
  for (Carried& rank : carried_)
    if (std::exchange(rank.has_news, false)) rank.bell.ring_if_asleep();
}

bool NodeAgent::Implementation::all_have_answered() const {
  return std::ranges::all_of(watched_, [](const auto& each) { return each.second.has_answered; });
}

// A node that says nothing for as long as users have patience is lost. Those that end in order are
// not missed: a job ends everywhere at once.
void NodeAgent::Implementation::watch_nodes() {
  const std::uint64_t now = monotonic_ns();
  if (peer_timeout_ns_ == 0 || now < next_watch_ns_) return;
  // Who was away itself, stopped or without a processor, has heard nobody meanwhile.
  const bool was_away = now - next_watch_ns_ > peer_timeout_ns_ / 4;
  next_watch_ns_ = now + peer_timeout_ns_ / (all_have_answered() ? 4 : 16);
  const NodePlan& plan = memory_->plan();
  for (std::uint32_t node = 0; node < plan.nodes; ++node) {
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

// A send that fails counts as silence. The hello is repeated until an answer comes: a provider may
// accept it and lose it together with the connection that it opens.
void NodeAgent::Implementation::greet(std::uint32_t node, Watched& watched) {
  if (watched.peer == network::no_peer) {
    const Result<Peer> peer = endpoint_->add_peer(memory_->nodes().address(node));
    if (!peer) return;
    watched.peer = *peer;
  }
  if (!watched.has_answered) introduce(node, watched.peer);
  const Request beat{.tag = tag_,
                     .kind = RequestKind::beat,
                     .from = remote::agent_number(memory_->plan(), memory_->plan().node),
                     .sequence = ++watched.beats};
  [[maybe_unused]] const Result<Posted> sent =
      endpoint_->inject(watched.peer, std::as_bytes(std::span(&beat, 1)));
}

void NodeAgent::Implementation::introduce(std::uint32_t node, Peer peer) {
  const Bytes address = endpoint_->address();
  const Request hello{.tag = tag_,
                      .from = remote::agent_number(memory_->plan(), memory_->plan().node),
                      .operand = address.size()};
  const std::uint32_t there = remote::agent_number(memory_->plan(), node);
  SendBuffer& buffer = take_buffer(there, sizeof(hello) + address.size());
  std::ranges::copy(address, remote::write(buffer.bytes.data(), hello));
  [[maybe_unused]] const Result<Posted> sent = send(peer, buffer);
}

// Ranks look for it some times a second, whatever they sleep on.
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
