// The second round of ranks that join on several nodes: what has happened comes in, the next step
// goes out. The first rank of each node tells all others how to reach its node; then it, or a guest
// of that node, reads what the nodes have published. It makes no system call; Rendezvous does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bootstrap/join_plan.hpp"
#include "bootstrap/key_value_space.hpp"
#include "bootstrap/process_info.hpp"
#include "core/result.hpp"

namespace gondwana {

struct RoundBegins {};
struct ValueRead {
  std::string value;
};
using RoundEvent = std::variant<RoundBegins, Published, AllWaited, ValueRead>;

struct PublishValue {
  Round round;
  std::string value;
};
struct ReadValue {
  Round round;
  std::uint32_t rank;
};
struct OffersKnown {
  std::vector<NodeOffer> offers;  // in the order of their ranks
};
using RoundStep = std::variant<PublishValue, WaitForAll, ReadValue, OffersKnown, Error>;

class NodeRound {
 public:
  // `own_offer`: as write_offer() makes it; empty for a guest. `ranks`: read the offers of these.
  NodeRound(std::string own_offer, std::vector<std::uint32_t> ranks)
      : unpublished_(std::move(own_offer)), ranks_(std::move(ranks)) {}

  RoundStep handle(const RoundEvent& event);

 private:
  RoundStep publish();
  RoundStep on(const AllWaited& waited);
  RoundStep on(const ValueRead& read);
  RoundStep read_next();

  std::string unpublished_;  // the rest of the own offer
  std::vector<std::uint32_t> ranks_;
  Round round_ = Round::nodes;  // of the next value
  std::string text_;            // the values read so far of the next offer
  std::vector<NodeOffer> offers_;
};

}  // namespace gondwana
