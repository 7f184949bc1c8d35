#include "transport/ofi/ofi.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "transport/ofi/endpoint.hpp"
#include "transport/ofi/message.hpp"

namespace gondwana {
namespace {

using ofi::Endpoint;
using ofi::Peer;
using ofi::Reply;
using ofi::Request;
using ofi::RequestKind;

// Answers only, of 32 bytes.
constexpr std::size_t receive_buffers = 4;
// Requests to one node that are not answered. The agent has received all of them when it has room
// for as many from each rank.
constexpr std::size_t most_unanswered = 256;

// Looks at the states of nodes cost more than polls.
constexpr std::uint32_t polls_between_looks = 1024;

constexpr std::size_t longest_message = sizeof(Request) + NodeCard::longest_address;

// One store at the target (rule 8): what a peer may be polling.
bool is_word(std::size_t size, std::size_t offset) {
  return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0;
}

}  // namespace

class Ofi::Implementation {
 public:
  static Result<std::unique_ptr<Implementation>> open(const Setup& setup);

  Limits limits() const {
    return {.largest_message = endpoint_->largest_message(),
            .single_store = true,
            .atomics = true,
            .ordered = false};
  }
  Result<Posted> put(Remote to, Bytes source, Completion& done);
  Result<Posted> get(MutableBytes target, Remote from, Completion& done);
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done);
  bool progress();
  bool departed() const;
  void sleep(std::chrono::microseconds limit);
  const Error* lost() const { return lost_ ? &*lost_ : nullptr; }

 private:
  // A request under way.
  struct Unanswered {
    Completion* done;
    std::byte* result;  // null: nobody wants it
    std::size_t size;   // of the result
  };
  // Another node, once it was talked to.
  struct Link {
    Peer peer = FI_ADDR_UNSPEC;
    bool introduced = false;
    std::uint32_t sent = 0;      // the number of the last request
    std::uint32_t answered = 0;  // the last that is known to be done
    std::deque<Unanswered> unanswered;
  };
  // A put, a get or a message under way. The context comes first: libfabric gives it back.
  struct Operation {
    ofi::Context context;
    Completion* done;  // null: of a message that nobody waits for
    std::uint32_t node;
    std::array<std::byte, longest_message> message;
  };

  explicit Implementation(const Setup& setup)
      : memory_(setup.memory), me_(setup.me), tag_(setup.job_tag), links_(memory_->plan().nodes) {}

  std::uint32_t node_of(Rank rank);
  const NodeCard& card(std::uint32_t node) const { return memory_->entry(node).card; }
  std::uint64_t place_in(std::uint32_t node, Remote place) const {
    const NodeCard& its = card(node);
    return its.arenas + (index(place.rank) - its.first) * its.stride + place.offset;
  }
  Result<Link*> link_to(std::uint32_t node);
  Result<Posted> introduce(std::uint32_t node, Link& link);
  Result<Posted> request(Request request, Completion& done, std::byte* result);
  Result<Posted> send(std::uint32_t node, Link& link, Bytes message);
  template <typename Post>
  Result<Posted> transfer(Remote place, Completion& done, const Post& post);
  void take_answer(Bytes bytes);
  void finish(ofi::Context* context);
  void fail(ofi::Context* context, const std::string& why);
  void lose(std::uint32_t node, const std::string& why);
  void look_for_losses();

  Operation& take_operation(Completion* done, std::uint32_t node);
  void give_back(Operation& operation) { free_.push_back(&operation); }

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::uint64_t tag_;
  std::vector<std::uint32_t> first_of_;  // rank of each node; filled by the first operation
  std::unique_ptr<Endpoint> endpoint_;
  std::vector<std::unique_ptr<Link>> links_;  // by node; null: never talked to
  std::deque<Operation> operations_;          // they must not move
  std::vector<Operation*> free_;
  std::optional<Error> lost_;
  std::uint32_t polls_ = 0;
};

Result<std::unique_ptr<Ofi::Implementation>> Ofi::Implementation::open(const Setup& setup) {
  std::unique_ptr<Implementation> wire(new Implementation(setup));
  Result<std::unique_ptr<Endpoint>> endpoint = Endpoint::open(setup.settings, receive_buffers);
  if (!endpoint) return endpoint.error();
  wire->endpoint_ = *std::move(endpoint);
  return wire;
}

std::uint32_t Ofi::Implementation::node_of(Rank rank) {
  for (auto node = static_cast<std::uint32_t>(first_of_.size()); node < links_.size(); ++node)
    first_of_.push_back(card(node).first);
  const auto behind = std::ranges::upper_bound(first_of_, index(rank));
  return static_cast<std::uint32_t>(behind - first_of_.begin()) - 1;
}

Result<Ofi::Implementation::Link*> Ofi::Implementation::link_to(std::uint32_t node) {
  if (lost_) return *lost_;
  if (!links_[node]) {
    const NodeCard& its = card(node);
    Result<Peer> peer = endpoint_->add_peer({its.address.data(), its.address_size});
    if (!peer) return peer.error();
    links_[node] = std::make_unique<Link>();
    links_[node]->peer = *peer;
    memory_->entry(node).is_used.store(1, std::memory_order_relaxed);
  }
  return links_[node].get();
}

// The first message says where answers go.
Result<Posted> Ofi::Implementation::introduce(std::uint32_t node, Link& link) {
  const Bytes address = endpoint_->address();
  const Request hello{.tag = tag_,
                      .kind = RequestKind::hello,
                      .size = static_cast<std::uint8_t>(address.size()),
                      .from = index(me_)};
  std::array<std::byte, longest_message> message;
  std::memcpy(message.data(), &hello, sizeof(hello));
  std::memcpy(message.data() + sizeof(hello), address.data(), address.size());
  return send(node, link, Bytes(message).first(sizeof(hello) + address.size()));
}

// Small enough to be injected almost everywhere.
Result<Posted> Ofi::Implementation::send(std::uint32_t node, Link& link, Bytes message) {
  if (message.size() <= endpoint_->most_injected()) return endpoint_->inject(link.peer, message);
  Operation& operation = take_operation(nullptr, node);
  std::memcpy(operation.message.data(), message.data(), message.size());
  const Bytes copy(operation.message.data(), message.size());
  Result<Posted> posted = endpoint_->send(link.peer, copy, operation.context);
  if (!posted || *posted == Posted::busy) give_back(operation);
  return posted;
}

Result<Posted> Ofi::Implementation::request(Request request, Completion& done, std::byte* result) {
  const std::uint32_t node = node_of(Rank(request.to));
  const Result<Link*> found = link_to(node);
  if (!found) return found.error();
  Link& link = **found;
  if (link.unanswered.size() >= most_unanswered) return Posted::busy;
  if (!link.introduced) {
    Result<Posted> introduced = introduce(node, link);
    if (!introduced || *introduced == Posted::busy) return introduced;
    link.introduced = true;
  }
  request.tag = tag_;
  request.from = index(me_);
  request.sequence = link.sent + 1;
  Result<Posted> posted = send(node, link, std::as_bytes(std::span(&request, 1)));
  if (!posted) {
    lose(node, posted.error().text);
    return *lost_;
  }
  if (*posted == Posted::busy) return posted;
  ++link.sent;
  done.begin();
  link.unanswered.push_back({&done, result, width(request.type)});
  return posted;
}

Result<Posted> Ofi::Implementation::put(Remote to, Bytes source, Completion& done) {
  if (is_word(source.size(), to.offset)) {
    Request store{.kind = RequestKind::store,
                  .size = static_cast<std::uint8_t>(source.size()),
                  .to = index(to.rank),
                  .offset = to.offset};
    std::memcpy(&store.operand, source.data(), source.size());
    return request(store, done, nullptr);
  }
  return transfer(to, done, [&](Peer peer, std::uint64_t place, std::uint64_t key, auto& context) {
    return endpoint_->write(peer, source, place, key, context);
  });
}

Result<Posted> Ofi::Implementation::get(MutableBytes target, Remote from, Completion& done) {
  return transfer(from, done,
                  [&](Peer peer, std::uint64_t place, std::uint64_t key, auto& context) {
                    return endpoint_->read(peer, target, place, key, context);
                  });
}

// What libfabric does with memory of a node; `post` is told who, where, by which key.
template <typename Post>
Result<Posted> Ofi::Implementation::transfer(Remote place, Completion& done, const Post& post) {
  const std::uint32_t node = node_of(place.rank);
  const Result<Link*> link = link_to(node);
  if (!link) return link.error();
  Operation& operation = take_operation(&done, node);
  Result<Posted> posted =
      post((*link)->peer, place_in(node, place), card(node).key, operation.context);
  if (posted && *posted == Posted::accepted)
    done.begin();
  else
    give_back(operation);
  if (!posted) lose(node, posted.error().text);
  return posted;
}

Result<Posted> Ofi::Implementation::atomic(Remote at, const AtomicRequest& wanted,
                                           std::byte* result, Completion& done) {
  const Request update{
      .kind = RequestKind::atomic,
      .op = wanted.op,
      .type = wanted.type,
      .size = static_cast<std::uint8_t>(result == nullptr ? 0 : width(wanted.type)),
      .to = index(at.rank),
      .offset = at.offset,
      .operand = wanted.operand,
      .compare = wanted.compare};
  return request(update, done, result);
}

bool Ofi::Implementation::progress() {
  if (++polls_ % polls_between_looks == 0) look_for_losses();
  const auto on_message = [this](Bytes bytes) { take_answer(bytes); };
  const auto on_done = [this](ofi::Context* context) { finish(context); };
  const auto on_failed = [this](ofi::Context* context, const std::string& why) {
    fail(context, why);
  };
  return endpoint_->poll({on_message, on_done, on_failed}) > 0;
}

// An answer to a number is one to all before it.
void Ofi::Implementation::take_answer(Bytes bytes) {
  const std::optional<Reply> reply = ofi::read_reply(bytes, tag_, memory_->plan().nodes);
  if (!reply || !links_[reply->node]) return;
  Link& link = *links_[reply->node];
  const std::uint32_t count = reply->sequence - link.answered;
  if (count > link.unanswered.size()) return;
  for (std::uint32_t i = 1; i <= count; ++i) {
    const Unanswered& first = link.unanswered.front();
    if (i == count && first.result != nullptr) std::memcpy(first.result, &reply->value, first.size);
    first.done->finish();
    link.unanswered.pop_front();
  }
  link.answered = reply->sequence;
}

void Ofi::Implementation::finish(ofi::Context* context) {
  auto& operation = *reinterpret_cast<Operation*>(context);
  if (operation.done != nullptr) operation.done->finish();
  give_back(operation);
}

void Ofi::Implementation::fail(ofi::Context* context, const std::string& why) {
  auto& operation = *reinterpret_cast<Operation*>(context);
  lose(operation.node, why);
  if (operation.done != nullptr) operation.done->finish();
  give_back(operation);
}

// The first loss is the one that is told. Requests that nobody will answer are over.
void Ofi::Implementation::lose(std::uint32_t node, const std::string& why) {
  const NodeCard& its = card(node);
  if (!lost_) {
    const std::string ranks =
        its.ranks == 1 ? fmt::format("rank {}", its.first)
                       : fmt::format("ranks {} to {}", its.first, its.first + its.ranks - 1);
    lost_ = Error{Errc::peer_lost,
                  fmt::format("{} on host {} cannot be reached: {}", ranks, its.host.data(), why)};
  }
  if (!links_[node]) return;
  for (const Unanswered& each : links_[node]->unanswered) each.done->finish();
  links_[node]->unanswered.clear();
}

// Those that the agent of this node has noticed.
void Ofi::Implementation::look_for_losses() {
  for (std::uint32_t node = 0; node < links_.size() && !lost_; ++node)
    if (memory_->entry(node).state.load(std::memory_order_acquire) == NodeState::lost)
      lose(node, "its node agent has been silent for too long (GONDWANA_PEER_TIMEOUT)");
}

// While a connection is being made messages wait here. Once one was answered they go to the kernel.
bool Ofi::Implementation::departed() const {
  return lost_ || std::ranges::all_of(links_, [](const std::unique_ptr<Link>& link) {
           return !link || link->answered > 0 || link->unanswered.empty();
         });
}

void Ofi::Implementation::sleep(std::chrono::microseconds limit) {
  look_for_losses();
  if (!endpoint_->may_sleep()) return;
  pollfd entry{endpoint_->wait_descriptor(), POLLIN, 0};
  const timespec time{0, std::chrono::nanoseconds(limit).count()};
  ::ppoll(&entry, 1, &time, nullptr);
}

Ofi::Implementation::Operation& Ofi::Implementation::take_operation(Completion* done,
                                                                    std::uint32_t node) {
  if (free_.empty()) free_.push_back(&operations_.emplace_back());
  Operation& operation = *free_.back();
  free_.pop_back();
  operation.done = done;
  operation.node = node;
  return operation;
}

Ofi::Ofi(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Ofi::~Ofi() = default;

Result<std::unique_ptr<Ofi>> Ofi::open(const Setup& setup) {
  Result<std::unique_ptr<Implementation>> implementation = Implementation::open(setup);
  if (!implementation) return implementation.error();
  return std::unique_ptr<Ofi>(new Ofi(*std::move(implementation)));
}

std::string_view Ofi::name() const {
  return "ofi";
}
Limits Ofi::limits() const {
  return implementation_->limits();
}
Result<Posted> Ofi::put(Remote to, Bytes source, Completion& done) {
  return implementation_->put(to, source, done);
}
Result<Posted> Ofi::get(MutableBytes target, Remote from, Completion& done) {
  return implementation_->get(target, from, done);
}
Result<Posted> Ofi::atomic(Remote at, const AtomicRequest& request, std::byte* result,
                           Completion& done) {
  return implementation_->atomic(at, request, result, done);
}
bool Ofi::progress() {
  return implementation_->progress();
}
bool Ofi::departed() const {
  return implementation_->departed();
}
void Ofi::sleep(std::chrono::microseconds limit) {
  implementation_->sleep(limit);
}
const Error* Ofi::lost() const {
  return implementation_->lost();
}

}  // namespace gondwana
