#include "bootstrap/node_round.hpp"

#include <fmt/format.h>

namespace gondwana {
namespace {

constexpr char more_follows = '+';  // marks the end of a value

}  // namespace

RoundStep NodeRound::handle(const RoundEvent& event) {
  if (const auto* waited = std::get_if<AllWaited>(&event)) return on(*waited);
  if (const auto* read = std::get_if<ValueRead>(&event)) return on(*read);
  if (!unpublished_.empty()) return publish();
  return WaitForAll{};
}

// In values within the limits of all launchers.
RoundStep NodeRound::publish() {
  std::string value = unpublished_.substr(0, longest_value - 1);
  unpublished_.erase(0, value.size());
  if (!unpublished_.empty()) value += more_follows;
  return PublishValue{std::exchange(round_, after(round_)), std::move(value)};
}

RoundStep NodeRound::on(const AllWaited& waited) {
  if (!waited.all_came)
    return Error{Errc::peer_lost,
                 fmt::format("not all hosts were ready within {} s (GONDWANA_JOIN_TIMEOUT); did a "
                             "rank elsewhere end?",
                             waited.seconds)};
  round_ = Round::nodes;
  return read_next();
}

RoundStep NodeRound::on(const ValueRead& read) {
  text_ += read.value.substr(0, read.value.find(more_follows));
  round_ = after(round_);
  if (read.value.ends_with(more_follows)) return read_next();
  Result<NodeOffer> offer = read_offer(std::exchange(text_, {}), ranks_[offers_.size()]);
  if (!offer) return offer.error();
  offers_.push_back(*std::move(offer));
  round_ = Round::nodes;
  return read_next();
}

RoundStep NodeRound::read_next() {
  if (offers_.size() == ranks_.size()) return OffersKnown{std::move(offers_)};
  return ReadValue{round_, ranks_[offers_.size()]};
}

}  // namespace gondwana
