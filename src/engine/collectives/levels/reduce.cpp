// Reductions in two levels: the members of each node in common memory, the leaders over the wire,
// then the result to the members of each node.
//
// Terms are combined in the order of the members, as a node's members are neighbours. A few bytes
// go between leaders as words.
#include <array>
#include <cstring>

#include "engine/collectives/parts.hpp"
#include "engine/collectives/reference/algorithms.hpp"
#include "engine/collectives/reference/doubling.hpp"

namespace gondwana {
namespace {

// What a node's members have, and what they get, in the scratch of each and in the leader's.
constexpr std::size_t result_offset = small_array;
static_assert(2 * small_array <= ControlLayout::scratch_half);

// The exchange of a few bytes between the leaders.
class WordExchange {
 public:
  WordExchange(Group& nodes, std::uint64_t number, MutableBytes result, const ElementType& type)
      : nodes_(nodes), doubling_(nodes), number_(number), result_(result), type_(type) {}

  // The first message, which any member of the node may send that knows what its node has. None
  // where another node's comes before.
  void begin() {
    if (doubling_.is_second_of_pair(me()))
      nodes_.write_words(nodes_.left(), for_pairs, number_, result_);
    else if (!doubling_.is_first_of_pair(me()))
      tell(0);
  }

  // The leader. `complete_own` makes the result that of this node; it is called once another one
  // has been heard of, so that the leader can sleep until then.
  void finish(FunctionRef<void()> complete_own) {
    if (doubling_.is_second_of_pair(me()))
      return nodes_.read_words(nodes_.left(), for_pairs, number_, result_);
    const bool stands_for_two = doubling_.is_first_of_pair(me());
    if (stands_for_two) {
      hear(nodes_.right(), for_pairs);
      complete_own();
      combine(result_.data(), other_.data());
    }
    for (std::uint32_t round = 0; round < doubling_.rounds(); ++round) {
      const bool is_begun = round == 0 && !stands_for_two;
      const std::uint32_t partner = doubling_.partner(me(), round);
      if (!is_begun) tell(round);
      hear(partner, round);
      if (is_begun) complete_own();
      if (partner < me())
        combine(other_.data(), result_.data());
      else
        combine(result_.data(), other_.data());
    }
    if (stands_for_two) nodes_.write_words(nodes_.right(), for_pairs, number_, result_);
  }

 private:
  static constexpr std::uint32_t for_pairs = NodeWords::most_rounds;

  std::uint32_t me() const { return nodes_.me(); }
  void tell(std::uint32_t round) {
    nodes_.write_words(doubling_.partner(me(), round), round, number_, result_);
  }
  void hear(std::uint32_t node, std::uint32_t place) {
    nodes_.read_words(node, place, number_, MutableBytes(other_).first(result_.size()));
  }
  void combine(const std::byte* first, const std::byte* second) {
    type_.combine(result_.data(), first, second, result_.size() / type_.size);
  }

  Group& nodes_;
  Doubling doubling_;
  std::uint64_t number_;
  MutableBytes result_;
  ElementType type_;
  alignas(NodeWords::most_bytes) std::array<std::byte, NodeWords::most_bytes> other_{};
};

}  // namespace

// Of all members of the node, in their order.
void Engine::combine_node(const Team& node, std::uint32_t half, void* result, std::size_t count,
                          ElementType type) const {
  const auto term = [&](std::uint32_t member) {
    return memory_->scratch(node.number, node.rank_of(member), half);
  };
  if (count == 0) return;
  if (node.size == 1) {
    std::memcpy(result, term(0), count * type.size);
    return;
  }
  type.combine(result, term(0), term(1), count);
  for (std::uint32_t member = 2; member < node.size; ++member)
    type.combine(result, result, term(member), count);
}

void Engine::begin_exchange(const Levels& levels, CallName call, std::uint32_t half,
                            std::size_t count, ElementType type) {
  alignas(NodeWords::most_bytes) std::array<std::byte, NodeWords::most_bytes> sum{};
  combine_node(levels.node, half, sum.data(), count, type);
  Group nodes(*this, levels, call);
  const MutableBytes result = MutableBytes(sum).first(count * type.size);
  WordExchange(nodes, levels.exchanges, result, type).begin();
}

// Everybody lays its term in its scratch, the leader what all have in its own. Whoever comes last
// of a node is awake and tells the next node what this one has. More than a few bytes are fetched
// from where dest is.
bool Engine::combine_in_levels(Team& team, CallName call, void* dest, const void* source,
                               std::size_t count, ElementType type) {
  Levels& levels = *team.levels;
  Team& node = levels.node;
  const std::size_t size = count * type.size;
  const bool is_few = size <= NodeWords::most_bytes;
  if (is_few) ++levels.exchanges;
  const std::uint32_t half = node.scratch_uses++ % 2;
  std::byte* result = memory_->scratch(node.number, node.rank_of(0), half) + result_offset;
  const Epoch come = node.epoch + 1;
  const Epoch gone = node.epoch += 2;
  NodeSync line(NodeTeam(*memory_, node), node.me);
  std::memcpy(memory_->scratch(node.number, rank_, half), source, size);
  if (arrive_at_node(line, node, come) && is_few) begin_exchange(levels, call, half, count, type);
  bool well = true;
  if (levels.is_leader()) {
    const auto complete_own = [&] {
      wait_for_node(line, node, come, call);
      combine_node(node, half, result, count, type);
    };
    Group nodes(*this, levels, call);
    if (is_few) {
      WordExchange(nodes, levels.exchanges, {result, size}, type).finish(complete_own);
    } else {
      complete_own();
      std::memcpy(dest, result, size);
      well = reference::reduce(nodes, Algorithm::automatic, dest, dest, count, type);
      std::memcpy(result, dest, size);
    }
    well = well && nodes.well();
    std::memcpy(dest, result, size);
    line.arrive(gone);
    line.ring_sleepers(gone);
  } else {
    wait_for_member(line, node, 0, gone, call);
    std::memcpy(dest, result, size);
    line.arrive(gone);
  }
  return well;
}

bool Engine::reduce_in_levels(Team& team, CallName call, void* dest, const void* source,
                              std::size_t count, ElementType type) {
  const std::size_t size = detail::times(count, type.size);
  if (!are_symmetric("reduction", dest, size, source, size)) return false;
  if (size == 0) return true;
  if (size <= small_array) return combine_in_levels(team, call, dest, source, count, type);
  Team& node = team.levels->node;
  bool well = reduce(node, call, dest, source, count, type);
  if (team.levels->is_leader()) {
    Group nodes(*this, *team.levels, call);
    well = reference::reduce(nodes, Algorithm::automatic, dest, dest, count, type) && well;
  }
  return broadcast(node, call, dest, dest, size, 0) && well;
}

}  // namespace gondwana
