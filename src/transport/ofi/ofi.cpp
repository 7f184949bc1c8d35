#include "transport/ofi/ofi.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "transport/ofi/implementation.hpp"

namespace gondwana {
namespace {

using ofi::Brings;
using ofi::Endpoint;
using ofi::MailHead;
using ofi::Peer;
using ofi::Reply;
using ofi::Request;
using ofi::RequestKind;
using ofi::Row;

// Answers of 32 bytes, and mail.
constexpr ofi::Receives receives{.buffers = 4, .longest = sizeof(MailHead) + ofi::longest_mail};
// Requests to one node that are not answered. The agent has received all of them when it has room
// for as many from each rank.
constexpr std::size_t most_unanswered = 256;

// Looks at the states of nodes cost more than polls.
constexpr std::uint32_t polls_between_looks = 1024;

// Bytes of messages that wait here for the network. Then there is no room, unless there is nothing.
constexpr std::size_t most_leaving = 4 * 1024 * 1024;

// What the agent is told of pieces.
void write_rows(std::span<const Pieces> pieces, std::byte* message) {
  for (const Pieces& each : pieces) {
    const Row row{.offset = each.there,
                  .step = each.there_step,
                  .size = static_cast<std::uint32_t>(each.size),
                  .count = static_cast<std::uint32_t>(each.count)};
    std::memcpy(message, &row, sizeof(row));
    message += sizeof(row);
  }
}

// One store at the target (rule 8): what a peer may be polling.
bool is_word(std::size_t size, std::size_t offset) {
  return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0;
}

}  // namespace

Result<std::unique_ptr<Ofi::Implementation>> Ofi::Implementation::open(const Setup& setup) {
  std::unique_ptr<Implementation> wire(new Implementation(setup));
  Result<std::unique_ptr<Endpoint>> endpoint = Endpoint::open(setup.settings, receives);
  if (!endpoint) return endpoint.error();
  wire->endpoint_ = *std::move(endpoint);
  wire->injected_.resize(wire->endpoint_->most_injected());
  wire->write_card();
  return wire;
}

void Ofi::Implementation::write_card() const {
  const Bytes address = endpoint_->address();
  RankCard& card = memory_->rank_card(me_);
  GONDWANA_ASSERT(address.size() <= card.address.size(), address.size());
  std::memcpy(card.address.data(), address.data(), address.size());
  card.size.store(address.size(), std::memory_order_release);  // learn() acquires it
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
    links_[node]->node = node;
    links_[node]->peer = *peer;
    links_[node]->may_inject = true;
    memory_->entry(node).is_used.store(1, std::memory_order_relaxed);
  }
  return links_[node].get();
}

// The first message says where answers go.
Result<Posted> Ofi::Implementation::introduce(Link& link) {
  const Bytes address = endpoint_->address();
  const Request hello{.tag = tag_,
                      .kind = RequestKind::hello,
                      .size = static_cast<std::uint8_t>(address.size()),
                      .from = index(me_)};
  return send(link, {std::as_bytes(std::span(&hello, 1)), address});
}

Result<Posted> Ofi::Implementation::send(Line& line, Parts parts) {
  std::size_t size = 0;
  for (const Bytes part : parts) size += part.size();
  return send(line, size, [&](std::byte* message) {
    for (const Bytes part : parts) message = std::ranges::copy(part, message).out;
  });
}

// Where a message stays until it has left it is written once. Small ones are injected.
Result<Posted> Ofi::Implementation::send(Line& line, std::size_t size, Write write) {
  if (line.may_inject && size <= endpoint_->most_injected()) {
    write(injected_.data());
    return endpoint_->inject(line.peer, Bytes(injected_).first(size));
  }
  if (leaving_ > 0 && leaving_ + size > most_leaving) return Posted::busy;
  Operation& operation = take_operation(line.leaving, line.node);
  operation.message.resize(std::max(operation.message.size(), size));
  operation.size = size;
  write(operation.message.data());
  Result<Posted> posted =
      endpoint_->send(line.peer, Bytes(operation.message).first(size), operation.context);
  if (!posted || *posted == Posted::busy) {
    give_back(operation);
    return posted;
  }
  line.leaving.begin();
  leaving_ += size;
  return posted;
}

Result<Posted> Ofi::Implementation::request(Request request, Unanswered unanswered, Bytes behind) {
  return this->request(request, std::move(unanswered), behind.size(),
                       [behind](std::byte* message) { std::ranges::copy(behind, message); });
}

Result<Posted> Ofi::Implementation::request(Request request, Unanswered unanswered,
                                            std::size_t behind, Write write_behind) {
  const std::uint32_t node = node_of(Rank(request.to));
  const Result<Link*> found = link_to(node);
  if (!found) return found.error();
  Link& link = **found;
  if (link.unanswered.size() >= most_unanswered) return Posted::busy;
  if (!link.introduced) {
    Result<Posted> introduced = introduce(link);
    if (!introduced || *introduced == Posted::busy) return introduced;
    link.introduced = true;
  }
  request.tag = tag_;
  request.from = index(me_);
  request.sequence = link.sent + 1;
  Result<Posted> posted = send(link, sizeof(request) + behind, [&](std::byte* message) {
    std::memcpy(message, &request, sizeof(request));
    write_behind(message + sizeof(request));
  });
  if (!posted) {
    lose(node, posted.error().text);
    return *lost_;
  }
  if (*posted == Posted::busy) return posted;
  ++link.sent;
  unanswered.done->begin();
  link.unanswered.push_back(std::move(unanswered));
  return posted;
}

Result<Posted> Ofi::Implementation::put(Remote to, Bytes source, Completion& done) {
  if (is_word(source.size(), to.offset)) {
    Request store{.kind = RequestKind::store,
                  .size = static_cast<std::uint8_t>(source.size()),
                  .to = index(to.rank),
                  .offset = to.offset};
    std::memcpy(&store.operand, source.data(), source.size());
    return request(store, {.done = &done});
  }
  if (source.size() <= eager_limit_) {
    const Request write{.kind = RequestKind::write,
                        .to = index(to.rank),
                        .offset = to.offset,
                        .operand = source.size()};
    return request(write, {.done = &done}, source);
  }
  return transfer(Direction::there, to, done,
                  [&](Peer peer, std::uint64_t place, std::uint64_t key, auto& context) {
                    return endpoint_->write(peer, source, place, key, context);
                  });
}

Result<Posted> Ofi::Implementation::spread(Rank to, std::span<const Pieces> pieces,
                                           Completion& done) {
  const Request spread{
      .kind = RequestKind::spread, .to = index(to), .operand = std::uint64_t{pieces.size()}};
  const std::size_t rows = pieces.size() * sizeof(Row);
  return request(spread, {.done = &done}, rows + bytes_of(pieces), [&](std::byte* behind) {
    write_rows(pieces, behind);
    pack(pieces, behind + rows);
  });
}

Result<Posted> Ofi::Implementation::gather(Rank from, std::span<const Pieces> pieces,
                                           Completion& done) {
  const Request gather{
      .kind = RequestKind::gather, .to = index(from), .operand = std::uint64_t{pieces.size()}};
  return request(gather, {.done = &done, .pieces = {pieces.begin(), pieces.end()}},
                 pieces.size() * sizeof(Row),
                 [&](std::byte* behind) { write_rows(pieces, behind); });
}

Result<Posted> Ofi::Implementation::get(MutableBytes target, Remote from, Completion& done) {
  return transfer(Direction::here, from, done,
                  [&](Peer peer, std::uint64_t place, std::uint64_t key, auto& context) {
                    return endpoint_->read(peer, target, place, key, context);
                  });
}

// What libfabric does with memory of a node; `post` is told who, where, by which key.
template <typename Post>
Result<Posted> Ofi::Implementation::transfer(Direction direction, Remote place, Completion& done,
                                             const Post& post) {
  const std::uint32_t node = node_of(place.rank);
  const Result<Link*> link = link_to(node);
  if (!link) return link.error();
  Operation& operation = take_operation(done, node);
  Result<Posted> posted =
      post((*link)->peer, place_in(node, place), card(node).key, operation.context);
  if (!posted) lose(node, posted.error().text);
  if (!posted || *posted == Posted::busy) {
    give_back(operation);
    return posted;
  }
  done.begin();
  operation.is_write = direction == Direction::there;
  if (operation.is_write) ++writes_;
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
  return request(update, {.done = &done, .word = result, .size = width(wanted.type)});
}

bool Ofi::Implementation::progress() {
  if (++polls_ % polls_between_looks == 0) look_for_losses();
  const bool delivered = mail_.deliver();
  const auto on_message = [this](Bytes bytes) { receive(bytes); };
  const auto on_done = [this](ofi::Context* context) { finish(context); };
  const auto on_failed = [this](ofi::Context* context, const std::string& why) {
    fail(context, why);
  };
  return endpoint_->poll({on_message, on_done, on_failed}) > 0 || delivered;
}

void Ofi::Implementation::receive(Bytes bytes) {
  const NodePlan& plan = memory_->plan();
  bool is_known = false;
  if (const auto answer = ofi::read_reply(bytes, tag_, plan.nodes))
    is_known = take_answer(*answer);
  else if (const auto mail = ofi::read_mail(bytes, tag_, me_, plan))
    is_known = mail_.take(*mail);
  if (!is_known) ++refused_;
}

// An answer to a number says that all before it are done too, but the bytes of each come with its
// own, which a provider may report late. False: not to a request of ours.
bool Ofi::Implementation::take_answer(const ofi::ReceivedReply& answer) {
  const Reply& reply = answer.reply;
  if (!links_[reply.node]) return false;
  Link& link = *links_[reply.node];
  const std::uint32_t count = reply.sequence - link.answered;
  if (count == 0 || count > link.unanswered.size()) return false;
  if (!take_result(link.unanswered[count - 1], answer)) return false;
  link.executed = std::max<std::size_t>(link.executed, count);
  while (link.executed > 0 && link.unanswered.front().pieces.empty()) {
    link.unanswered.front().done->finish();
    link.unanswered.pop_front();
    --link.executed;
    ++link.answered;
  }
  return true;
}

bool Ofi::Implementation::take_result(Unanswered& asked, const ofi::ReceivedReply& answer) {
  if (answer.reply.brings == Brings::bytes) {
    if (asked.pieces.empty() || answer.behind.size() != bytes_of(asked.pieces)) return false;
    unpack(asked.pieces, answer.behind.data());
    asked.pieces.clear();
  } else if (asked.word != nullptr) {
    std::memcpy(asked.word, &answer.reply.value, asked.size);
  }
  return true;
}

void Ofi::Implementation::finish(ofi::Context* context) {
  end(*reinterpret_cast<Operation*>(context));
}

void Ofi::Implementation::fail(ofi::Context* context, const std::string& why) {
  auto& operation = *reinterpret_cast<Operation*>(context);
  lose(operation.node, why);
  end(operation);
}

void Ofi::Implementation::end(Operation& operation) {
  if (operation.is_write) --writes_;
  leaving_ -= operation.size;
  operation.done->finish();
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
  links_[node]->executed = 0;
}

// Those that the agent of this node has noticed.
void Ofi::Implementation::look_for_losses() {
  for (std::uint32_t node = 0; node < links_.size() && !lost_; ++node)
    if (memory_->entry(node).state.load(std::memory_order_acquire) == NodeState::lost)
      lose(node, "its node agent has been silent for too long (GONDWANA_PEER_TIMEOUT)");
}

// While a connection is being made messages wait here. Once one was answered they go to the kernel.
bool Ofi::Implementation::departed() const {
  const auto has_departed = [](const std::unique_ptr<Link>& link) {
    return !link || link->answered > 0 || link->unanswered.empty();
  };
  return lost_ || (leaving_ == 0 && std::ranges::all_of(links_, has_departed));
}

void Ofi::Implementation::sleep(std::chrono::microseconds limit) {
  look_for_losses();
  if (!endpoint_->may_sleep()) return;
  pollfd entry{endpoint_->wait_descriptor(), POLLIN, 0};
  const timespec time{0, std::chrono::nanoseconds(limit).count()};
  ::ppoll(&entry, 1, &time, nullptr);
}

Ofi::Implementation::Operation& Ofi::Implementation::take_operation(Completion& done,
                                                                    std::uint32_t node) {
  if (free_.empty()) free_.push_back(&operations_.emplace_back());
  Operation& operation = *free_.back();
  free_.pop_back();
  operation.done = &done;
  operation.node = node;
  operation.is_write = false;
  return operation;
}

void Ofi::Implementation::give_back(Operation& operation) {
  operation.size = 0;
  free_.push_back(&operation);
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
Result<Posted> Ofi::spread(Rank to, std::span<const Pieces> pieces, Completion& done) {
  return implementation_->spread(to, pieces, done);
}
Result<Posted> Ofi::gather(Rank from, std::span<const Pieces> pieces, Completion& done) {
  return implementation_->gather(from, pieces, done);
}
Result<Posted> Ofi::atomic(Remote at, const AtomicRequest& request, std::byte* result,
                           Completion& done) {
  return implementation_->atomic(at, request, result, done);
}
bool Ofi::has_unordered() const {
  return implementation_->has_unordered();
}
Result<Posted> Ofi::send_mail(Rank to, Bytes head, Bytes body) {
  return implementation_->send_mail(to, head, body);
}
void Ofi::listen(MailReceiver receiver) {
  implementation_->listen(std::move(receiver));
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
std::uint64_t Ofi::refused() const {
  return implementation_->refused();
}

}  // namespace gondwana
