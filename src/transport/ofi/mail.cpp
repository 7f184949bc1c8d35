// Mail of a rank: where the others are, and messages to them.
#include <fmt/format.h>

#include <cstring>

#include "core/machine.hpp"
#include "transport/ofi/implementation.hpp"

namespace gondwana {
namespace {

// Between two looks at a card that is not written yet.
constexpr std::uint64_t ask_again_ns = 1'000'000;

}  // namespace

Result<Posted> Ofi::Implementation::send_mail(Rank to, Bytes head, Bytes body) {
  const std::size_t size = head.size() + body.size();
  if (index(to) >= memory_->plan().job_ranks || size > ofi::longest_mail)
    return Error{Errc::invalid_argument,
                 fmt::format("no mail of {} B goes to rank {}", size, index(to))};
  if (lost_) return *lost_;
  Pair& pair = pair_with(to);
  if (Result<Posted> found = find(to, pair); !found || *found == Posted::busy) return found;
  // The first one makes the connection. Once it has left, nothing that is injected stays here.
  pair.may_inject = pair.may_inject || (pair.sent > 0 && pair.leaving.done());
  const ofi::MailHead envelope{
      .tag = tag_, .from = index(me_), .to = index(to), .number = pair.sent + 1};
  Result<Posted> posted = send(pair, {std::as_bytes(std::span(&envelope, 1)), head, body});
  if (!posted) {
    lose(pair.node, posted.error().text);
    return *lost_;
  }
  if (*posted == Posted::accepted) ++pair.sent;
  return posted;
}

Ofi::Implementation::Pair& Ofi::Implementation::pair_with(Rank rank) {
  const auto [pair, is_new] = pairs_.try_emplace(index(rank));
  if (is_new) pair->second.node = node_of(rank);
  return pair->second;
}

// Accepted: it is known where the rank is.
Result<Posted> Ofi::Implementation::find(Rank rank, Pair& pair) {
  switch (pair.state) {
    case Pair::State::unknown:
      return ask(rank, pair);
    case Pair::State::asked:
      return learn(rank, pair);
    case Pair::State::known:
      break;
  }
  return Posted::accepted;
}

Result<Posted> Ofi::Implementation::ask(Rank rank, Pair& pair) {
  static_assert(sizeof(Pair::Card) == sizeof(RankCard));
  if (monotonic_ns() < pair.ask_ns) return Posted::busy;
  if (memory_->plan().holds(rank)) {
    const RankCard& card = memory_->rank_card(rank);
    pair.card.size = card.size.load(std::memory_order_acquire);
    pair.card.address = card.address;
    pair.is_written = pair.card.size > 0;
    return learn(rank, pair);
  }
  const MutableBytes here = std::as_writable_bytes(std::span(&pair.card, 1));
  Result<Posted> posted = get(here, {rank, NodePlan::rank_card_offset}, pair.fetching);
  if (!posted) return posted;
  if (*posted == Posted::accepted) pair.state = Pair::State::asked;
  return Posted::busy;
}

Result<Posted> Ofi::Implementation::learn(Rank rank, Pair& pair) {
  if (!pair.fetching.done()) return Posted::busy;
  pair.state = Pair::State::unknown;
  if (pair.card.size == 0) {
    pair.ask_ns = monotonic_ns() + ask_again_ns;
    return Posted::busy;
  }
  if (!pair.is_written) {
    pair.is_written = true;
    return ask(rank, pair);
  }
  if (pair.card.size > pair.card.address.size())
    return Error{Errc::refused, fmt::format("rank {} has no address", index(rank))};
  const Result<ofi::Peer> peer =
      endpoint_->add_peer(Bytes(pair.card.address).first(pair.card.size));
  if (!peer) return peer.error();
  pair.peer = *peer;
  pair.state = Pair::State::known;
  return Posted::accepted;
}

}  // namespace gondwana
