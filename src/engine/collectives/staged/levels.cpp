#include "engine/collectives/staged/levels.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

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
  if (!sizes.empty()) most_ = std::ranges::max(sizes);
  is_even_ = is_in_order_ && size() == most_ * this->nodes();
}

Levels::Levels(MemberPlaces map, std::uint32_t me, std::unique_ptr<StagedTeam> node,
               std::unique_ptr<StagedTeam> leaders)
    : map_(std::move(map)),
      me_(map_.place_of(me)),
      node_(std::move(node)),
      leaders_(std::move(leaders)) {}

// Only the leader allocates chain memory. Other members pass null unless they contribute or receive
// data.
class Levels::Builder {
 public:
  Builder(const Levels& of, CallName call) : of_(of), map_(of.map_), call_(call) {}

  Chain take() { return std::move(chain_); }

  void meet() {
    if (!is_alone()) chain_.add(OneRound(*of_.node_, EmptyRound{{.to = 0}}));
    if (is_leader()) chain_.add(OneRound(*of_.leaders_, EmptyRound{}), Waits::for_network);
    if (!is_alone()) chain_.add(OneRound(*of_.node_, EmptyRound{{.from = 0}}));
  }

  void move(const Movement& what) {
    if (what.block == 0) return;
    const auto& [from, to] = what.flow;
    if (from)
      what.apart ? scatter(what) : broadcast(what);
    else if (to)
      gather(what);
    else
      what.apart ? exchange(what) : gather_all(what);
  }

  void reduce(const Reduction& what) {
    if (what.count == 0) return;
    if (what.operation.keeps_order() && !map_.is_in_order()) return reduce_in_order(what);
    const bool takes = what.flow.to ? is_root_here(what) && root(what).at == 0 : true;
    std::byte* result = is_leader() ? (takes ? what.dest : room(what.size())) : nullptr;
    const bool small = is_small(what, map_.nodes()) ||
                       (of_.leaders_->is_scattered() && is_pushed(what, map_.nodes()));
    if (small)
      reduce_small(what, result);
    else
      reduce_large(what, result);
    hand_out(what.flow, what.size(), result, what.dest);
  }

 private:
  bool is_leader() const { return of_.me_.at == 0; }
  bool is_alone() const { return of_.node_->size() == 1; }
  std::size_t in_all(std::size_t block) const { return map_.size() * block; }
  // Total bytes of the blocks of the largest node.
  std::size_t of_node(std::size_t block) const { return map_.most() * block; }
  MemberPlaces::Place root(const auto& what) const {
    return map_.place_of(what.flow.from ? *what.flow.from : *what.flow.to);
  }
  bool is_root_here(const auto& what) const { return root(what).node == of_.me_.node; }

  std::byte* any_room(std::size_t size) { return chain_.keep(of_.node_->with().rooms.take(size)); }
  std::byte* room(std::size_t size) { return is_leader() ? any_room(size) : nullptr; }
  void copy(std::byte* dest, const std::byte* source, std::size_t size) {
    if (dest != source && size > 0) chain_.then([=] { std::memcpy(dest, source, size); });
  }
  void add(StagedTeam& team, const auto& what, Waits waits) {
    with_step(team, call_, what, [&](auto step) { chain_.add(std::move(step), waits); });
  }
  void within_node(const auto& what) { add(*of_.node_, what, Waits::for_memory); }
  void between_nodes(const auto& what) {
    if (is_leader()) add(*of_.leaders_, what, Waits::for_network);
  }

  void broadcast(const Movement& what) {
    const bool is_here = is_root_here(what);
    const MemberPlaces::Place from = root(what);
    Movement between = what;
    between.flow = {.from = from.node};
    Movement within = what;
    within.flow = {.from = is_here ? from.at : 0};
    if (is_here && from.at != 0) {
      within_node(within);
      between.source = what.dest;
      between_nodes(between);
      return;
    }
    between_nodes(between);
    if (is_alone()) return;
    within.source = what.dest;
    within_node(within);
  }

  // Passes the leader's result to all members, or to the only member that needs it.
  void hand_out(const Flow& flow, std::size_t size, const std::byte* result, std::byte* dest) {
    if (is_alone()) return;
    Flow within{.from = 0};
    if (flow.to) {
      const MemberPlaces::Place root = map_.place_of(*flow.to);
      if (root.node != of_.me_.node || root.at == 0) return;
      within.to = root.at;
    }
    within_node(
        Movement{.flow = within, .apart = false, .block = size, .source = result, .dest = dest});
  }

  // Copies one block per member between two layouts. `source` of pack() and `dest` of unpack() are
  // in member order. The other array has map.most() blocks per node.
  void pack(std::byte* dest, const std::byte* source, std::size_t block) {
    chain_.then([=, &map = map_] {
      for (std::uint32_t i = 0; i < map.size(); ++i)
        std::memcpy(dest + slot_of(map, i) * block, source + i * block, block);
    });
  }
  void unpack(std::byte* dest, const std::byte* source, std::size_t block) {
    chain_.then([=, &map = map_] {
      for (std::uint32_t i = 0; i < map.size(); ++i)
        std::memcpy(dest + i * block, source + slot_of(map, i) * block, block);
    });
  }
  static std::size_t slot_of(const MemberPlaces& map, std::uint32_t member) {
    const auto [node, at] = map.place_of(member);
    return std::size_t{node} * map.most() + at;
  }

  // Gathers the blocks of this node in the leader's `room`, and returns `room`.
  std::byte* gather_node(const std::byte* source, std::size_t block, std::byte* room) {
    if (is_alone())
      copy(room, source, block);
    else
      within_node(Movement{
          .flow = {.to = 0}, .apart = false, .block = block, .source = source, .dest = room});
    return room;
  }
  void scatter_node(const std::byte* source, std::size_t block, std::byte* dest) {
    if (is_alone()) return copy(dest, source, block);
    within_node(Movement{
        .flow = {.from = 0}, .apart = true, .block = block, .source = source, .dest = dest});
  }

  void scatter(const Movement& what) {
    const bool is_here = is_root_here(what);
    const std::byte* all = what.source;
    if (is_here && root(what).at != 0) {
      std::byte* copy = room(in_all(what.block));
      within_node(Movement{.flow = {.from = root(what).at, .to = 0},
                           .apart = false,
                           .block = in_all(what.block),
                           .source = what.source,
                           .dest = copy});
      all = copy;
    }
    if (is_leader() && is_here && !map_.is_even()) {
      std::byte* packed = room(map_.nodes() * of_node(what.block));
      pack(packed, all, what.block);
      all = packed;
    }
    std::byte* here = room(of_node(what.block));
    between_nodes(Movement{.flow = {.from = root(what).node},
                           .apart = true,
                           .block = of_node(what.block),
                           .source = all,
                           .dest = here});
    scatter_node(here, what.block, what.dest);
  }

  void gather(const Movement& what) {
    const bool is_here = is_root_here(what);
    const bool is_mine = is_here && root(what).at == 0;
    std::byte* here = gather_node(what.source, what.block, room(of_node(what.block)));
    std::byte* all = what.dest;
    if (is_leader() && is_here && !is_mine) all = room(in_all(what.block));
    gather_nodes({.to = root(what).node}, here, what.block, is_here ? all : nullptr);
    hand_out(what.flow, in_all(what.block), all, what.dest);
  }

  void gather_all(const Movement& what) {
    std::byte* here = gather_node(what.source, what.block, room(of_node(what.block)));
    gather_nodes({}, here, what.block, what.dest);
    hand_out({}, in_all(what.block), what.dest, what.dest);
  }

  // `all` is in member order, and null if the flow does not end here.
  void gather_nodes(const Flow& flow, const std::byte* here, std::size_t block, std::byte* all) {
    if (!is_leader()) return;
    const bool unpacks = all != nullptr && !map_.is_even();
    std::byte* packed = unpacks ? room(map_.nodes() * of_node(block)) : all;
    between_nodes(Movement{
        .flow = flow, .apart = false, .block = of_node(block), .source = here, .dest = packed});
    if (unpacks) unpack(all, packed, block);
  }

  // A row contains the blocks that one member sends. A column contains the blocks that one member
  // receives. A cell contains the blocks of one node for another.
  void exchange(const Movement& what) {
    const std::size_t block = what.block;
    const std::size_t row = in_all(block);
    const std::size_t cell = map_.most() * of_node(block);
    const std::uint32_t here = of_.node_->size();
    std::byte* rows = gather_node(what.source, row, room(here * row));
    std::byte* sent = room(map_.nodes() * cell);
    std::byte* got = room(map_.nodes() * cell);
    std::byte* columns = room(here * row);
    const auto for_each = [&map = map_, here, block, cell, row](const auto& use) {
      for (std::uint32_t other = 0; other < map.size(); ++other)
        for (std::uint32_t own = 0; own < here; ++own) {
          const auto [node, at] = map.place_of(other);
          use(own * row + other * block, node * cell, std::size_t{own}, std::size_t{at});
        }
    };
    const std::size_t most = map_.most();
    if (is_leader())
      chain_.then([=] {
        for_each([&](std::size_t in_row, std::size_t start, std::size_t own, std::size_t at) {
          std::memcpy(sent + start + (own * most + at) * block, rows + in_row, block);
        });
      });
    between_nodes(Movement{.flow = {}, .apart = true, .block = cell, .source = sent, .dest = got});
    if (is_leader())
      chain_.then([=] {
        for_each([&](std::size_t in_column, std::size_t start, std::size_t own, std::size_t at) {
          std::memcpy(columns + in_column, got + start + (at * most + own) * block, block);
        });
      });
    scatter_node(columns, row, what.dest);
  }

  // Reduces the members of this node to `sum`.
  void reduce_node(const Reduction& what, std::byte* sum) {
    Reduction part = what;
    part.flow = {.to = 0};
    part.dest = sum;
    if (is_alone())
      copy(sum, what.source, what.size());
    else
      within_node(part);
  }

  Flow between(const Flow& flow) const {
    return flow.to ? Flow{.to = map_.place_of(*flow.to).node} : Flow{};
  }

  void reduce_small(const Reduction& what, std::byte* result) {
    Reduction part = what;
    if (!is_alone()) {
      reduce_node(what, result);
      part.source = result;
    }
    part.flow = between(what.flow);
    part.dest = result;
    between_nodes(part);
  }

  // Leader k combines the k-th part of all nodes. The leaders then gather the parts.
  void reduce_large(const Reduction& what, std::byte* result) {
    const std::uint32_t nodes = map_.nodes();
    const std::size_t width = what.operation.width();
    const std::size_t count = (what.count + nodes - 1) / nodes;
    const std::size_t part = count * width;
    std::byte* sum = room(nodes * part);
    std::byte* terms = room(nodes * part);
    reduce_node(what, sum);
    if (!is_leader()) return;
    std::memset(sum + what.size(), 0, nodes * part - what.size());
    between_nodes(Movement{.flow = {}, .apart = true, .block = part, .source = sum, .dest = terms});
    const std::size_t begin = std::min(of_.me_.node * count, what.count);
    const std::size_t own = std::min(count, what.count - begin);
    chain_.then([=, operation = what.operation] {
      if (own > 0)
        operation.fold(sum, nodes, own, [=](std::uint32_t node) { return terms + node * part; });
    });
    between_nodes(Movement{
        .flow = between(what.flow), .apart = false, .block = part, .source = sum, .dest = terms});
    if (!what.flow.to || is_root_here(what)) copy(result, terms, what.size());
  }

  // The contributions of a node are not adjacent, so each member that needs the result combines all
  // of them.
  void reduce_in_order(const Reduction& what) {
    const std::size_t size = what.size();
    const bool takes = !what.flow.to || map_.place_of(*what.flow.to) == of_.me_;
    std::byte* terms = takes ? any_room(in_all(size)) : nullptr;
    move(Movement{
        .flow = what.flow, .apart = false, .block = size, .source = what.source, .dest = terms});
    if (!takes) return;
    chain_.then([=, members = map_.size()] {
      what.operation.fold(what.dest, members, what.count,
                          [=](std::uint32_t member) { return terms + member * size; });
    });
  }

  const Levels& of_;
  const MemberPlaces& map_;
  CallName call_;
  Chain chain_;
};

Chain Levels::move(CallName call, const Movement& what) const {
  Builder steps(*this, call);
  steps.move(what);
  return steps.take();
}

Chain Levels::reduce(CallName call, const Reduction& what) const {
  Builder steps(*this, call);
  steps.reduce(what);
  return steps.take();
}

Chain Levels::meet(CallName call) const {
  Builder steps(*this, call);
  steps.meet();
  return steps.take();
}

}  // namespace gondwana::staged
