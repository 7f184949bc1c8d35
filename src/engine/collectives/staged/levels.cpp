#include "engine/collectives/staged/levels.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/collectives/staged/level_steps.hpp"

namespace gondwana::staged {

MemberPlaces::MemberPlaces(const std::vector<std::uint32_t>& nodes) : members_(nodes.size()) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;  // nodes, by their identifying number
  std::vector<std::uint32_t> sizes;
  places_.reserve(nodes.size());
  for (const std::uint32_t identity : nodes) {
    const auto [known, is_new] = numbers.try_emplace(identity, sizes.size());
    const std::uint32_t node = known->second;
    if (is_new)
      sizes.push_back(0);
    else if (node + 1 != sizes.size())
      is_in_order_ = false;
    places_.push_back({node, sizes[node]++});
  }
  begins_.resize(sizes.size() + 1);
  std::partial_sum(sizes.begin(), sizes.end(), begins_.begin() + 1);
  for (std::uint32_t member = 0; member < size(); ++member)
    members_[begins_[places_[member].node] + places_[member].at] = member;
  if (!sizes.empty()) max_ = std::ranges::max(sizes);
  is_even_ = is_in_order_ && size() == max_ * this->nodes();
}

Levels::Levels(MemberPlaces map, std::uint32_t me, std::unique_ptr<StagedTeam> node,
               std::unique_ptr<StagedTeam> leaders)
    : map_(std::move(map)),
      me_(map_.place_of(me)),
      node_(std::move(node)),
      leaders_(std::move(leaders)) {}

void LevelSteps::meet() {
  if (!is_alone()) chain_.add(OneRound(of_.node, EmptyRound{{.to = 0}}));
  if (is_leader()) chain_.add(OneRound(of_.leaders, EmptyRound{}), Waits::for_network);
  if (!is_alone()) chain_.add(OneRound(of_.node, EmptyRound{{.from = 0}}));
}

void LevelSteps::hand_out(const Flow& flow, std::size_t size, const std::byte* result,
                          std::byte* dest) {
  if (is_alone()) return;
  Flow within{.from = 0};
  if (flow.to) {
    const MemberPlaces::Place root = of_.map.place_of(*flow.to);
    if (root.node != of_.me.node || root.at == 0) return;
    within.to = root.at;
  }
  within_node(
      Movement{.flow = within, .apart = false, .block = size, .source = result, .dest = dest});
}

Chain Levels::move(CallName call, const Movement& what) const {
  MovementSteps steps(members(), call);
  steps.move(what);
  return steps.take();
}

Chain Levels::reduce(CallName call, const Reduction& what) const {
  ReductionSteps steps(members(), call);
  steps.reduce(what);
  return steps.take();
}

Chain Levels::meet(CallName call) const {
  LevelSteps steps(members(), call);
  steps.meet();
  return steps.take();
}

}  // namespace gondwana::staged
