// Reductions in two levels: the members of each node in common memory, the leaders over the wire,
// then the result to the members of each node.
//
// Terms are combined in the order of the members, as a node's members are neighbours. A few bytes
// go between leaders as words.
#include <array>
#include <cstring>

#include "engine/collectives/levels/level_collectives.hpp"
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
  WordExchange(NodeExchange& exchange, MutableBytes result, const ElementType& type)
      : exchange_(exchange),
        nodes_(exchange.nodes()),
        doubling_(nodes_),
        result_(result),
        type_(type) {}

  // The first message, which any member of the node may send that knows what its node has. None
  // where another node's comes before.
  void begin() {
    if (doubling_.is_second_of_pair(me()))
      exchange_.write(nodes_.left(), for_pairs, result_);
    else if (!doubling_.is_first_of_pair(me()))
      tell(0);
  }

  // The leader. `complete_own` makes the result that of this node; it is called once another one
  // has been heard of, so that the leader can sleep until then.
  void finish(FunctionRef<void()> complete_own) {
    if (doubling_.is_second_of_pair(me())) return exchange_.read(nodes_.left(), for_pairs, result_);
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
    if (stands_for_two) exchange_.write(nodes_.right(), for_pairs, result_);
  }

 private:
  static constexpr std::uint32_t for_pairs = NodeWords::most_rounds;

  std::uint32_t me() const { return nodes_.me(); }
  void tell(std::uint32_t round) {
    exchange_.write(doubling_.partner(me(), round), round, result_);
  }
  void hear(std::uint32_t node, std::uint32_t place) {
    exchange_.read(node, place, MutableBytes(other_).first(result_.size()));
  }
  void combine(const std::byte* first, const std::byte* second) {
    type_.combine(result_.data(), first, second, result_.size() / type_.size);
  }

  NodeExchange& exchange_;
  const Group& nodes_;
  Doubling doubling_;
  MutableBytes result_;
  ElementType type_;
  alignas(NodeWords::most_bytes) std::array<std::byte, NodeWords::most_bytes> other_{};
};

}  // namespace

// Of all members of the node, in their order.
void LevelCollectives::combine_node(const Team& node, std::uint32_t half, void* result,
                                    std::size_t count, ElementType type) const {
  const auto term = [&](std::uint32_t member) {
    return with_.memory.scratch(node.number, node.rank_of(member), half);
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

void LevelCollectives::begin_exchange(const Levels& levels, CallName call, std::uint32_t half,
                                      std::size_t count, ElementType type) {
  alignas(NodeWords::most_bytes) std::array<std::byte, NodeWords::most_bytes> sum{};
  combine_node(levels.node, half, sum.data(), count, type);
  NodeExchange exchange(with_, levels, levels.exchanges, call);
  WordExchange(exchange, MutableBytes(sum).first(count * type.size), type).begin();
}

// Of the leader: what its node has becomes what all nodes have, in `result` and in `dest`. More
// than a few bytes are fetched from where dest is.
bool LevelCollectives::exchange(NodeExchange& among, void* dest, MutableBytes result,
                                ElementType type, FunctionRef<void()> complete_own) {
  if (result.size() <= NodeWords::most_bytes) {
    WordExchange(among, result, type).finish(complete_own);
    std::memcpy(dest, result.data(), result.size());
    return among.nodes().well();
  }
  complete_own();
  std::memcpy(dest, result.data(), result.size());
  const bool well = reference::reduce(among.nodes(), Algorithm::automatic, dest, dest,
                                      result.size() / type.size, type);
  std::memcpy(result.data(), dest, result.size());
  return well;
}

// Everybody lays its term in its scratch, the leader what all have in its own. The member of a node
// that comes last is awake, and tells the next node what this one has.
bool LevelCollectives::combine(Team& team, CallName call, void* dest, const void* source,
                               std::size_t count, ElementType type) {
  Levels& levels = *team.levels;
  Team& node = levels.node;
  const std::size_t size = count * type.size;
  const bool is_few = size <= NodeWords::most_bytes;
  if (is_few) ++levels.exchanges;
  const std::uint32_t half = node.scratch_uses++ % 2;
  std::byte* result = with_.memory.scratch(node.number, node.rank_of(0), half) + result_offset;
  const Epoch come = node.epoch + 1;
  const Epoch gone = node.epoch += 2;
  NodeSync line(NodeTeam(with_.memory, node), node.me);
  std::memcpy(with_.memory.scratch(node.number, with_.me, half), source, size);
  if (arrive_at_node(line, node, come) && is_few) begin_exchange(levels, call, half, count, type);
  if (!levels.is_leader()) {
    node_.wait_for_member(line, node, 0, gone, call);
    std::memcpy(dest, result, size);
    line.arrive(gone);
    return true;
  }
  NodeExchange among(with_, levels, levels.exchanges, call);
  const bool well = exchange(among, dest, {result, size}, type, [&] {
    wait_for_node(line, node, come, call);
    combine_node(node, half, result, count, type);
  });
  line.arrive(gone);
  line.ring_sleepers(gone);
  return well;
}

bool LevelCollectives::reduce(Team& team, CallName call, void* dest, const void* source,
                              std::size_t count, ElementType type) {
  const std::size_t size = times(count, type.size);
  if (!are_symmetric("reduction", dest, size, source, size)) return false;
  if (size == 0) return true;
  if (size <= small_array) return combine(team, call, dest, source, count, type);
  Team& node = team.levels->node;
  bool well = node_.reduce(node, call, dest, source, count, type);
  if (team.levels->is_leader()) {
    Group nodes(with_, *team.levels, call);
    well = reference::reduce(nodes, Algorithm::automatic, dest, dest, count, type) && well;
  }
  return node_.broadcast(node, call, dest, dest, size, 0, RootDest::written) && well;
}

}  // namespace gondwana
