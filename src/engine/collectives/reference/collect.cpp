// Concatenations in a group: every member gets the blocks of all members in order.
#include <numeric>
#include <vector>

#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana::reference {
namespace {

// The offsets in dest at which the blocks of the members begin, then the end of the last block.
using Borders = std::vector<std::size_t>;

class Concatenation {
 public:
  Concatenation(Group& group, Borders borders, void* dest, const void* source)
      : group_(group),
        borders_(std::move(borders)),
        dest_(static_cast<std::byte*>(dest)),
        source_(source) {}

  std::size_t size() const { return borders_.back(); }

  void run(Algorithm algorithm) const {
    group_.get(group_.me(), block(group_.me()), source_, size_of(group_.me()));
    switch (algorithm) {
      case Algorithm::ring:
        return pass_around();
      case Algorithm::recursive_doubling:
        return double_up();
      default:
        return fetch_each();
    }
  }

 private:
  std::byte* block(std::uint32_t member) const { return dest_ + borders_[member]; }
  std::size_t size_of(std::uint32_t member) const {
    return borders_[member + 1] - borders_[member];
  }

  // Each member fetches from a different member at a time. They fetch from its dest, because a
  // member that contributes nothing may pass any source.
  void fetch_each() const {
    group_.barrier();
    for (std::uint32_t distance = 1; distance < group_.size(); ++distance) {
      const std::uint32_t member = group_.right(distance);
      group_.get(member, block(member), block(member), size_of(member));
    }
  }

  // Each block moves from member to member.
  void pass_around() const {
    for (std::uint32_t step = 1; step < group_.size(); ++step) {
      group_.raise(group_.right(), Group::ready());
      group_.take(Group::ready(), group_.left());
      fetch_run(group_.left(), group_.left(step), 1);
    }
  }

  // In round k each member has 2^k blocks, its own and the following ones. It fetches the next 2^k
  // blocks from their first owner.
  void double_up() const {
    const std::uint32_t size = group_.size();
    for (std::uint32_t round = 0; round < rounds_for(size); ++round) {
      const std::uint32_t have = 1U << round;
      group_.raise(group_.left(have), Group::ready(round));
      group_.take(Group::ready(round), group_.right(have));
      fetch_run(group_.right(have), group_.right(have), std::min(have, size - have));
    }
  }

  // Fetches `count` blocks, starting with the block of `first`, from dest of `member`.
  void fetch_run(std::uint32_t member, std::uint32_t first, std::uint32_t count) const {
    const std::uint32_t end = std::min(first + count, group_.size());
    group_.get(member, block(first), block(first), borders_[end] - borders_[first]);
    const std::uint32_t wrapped = first + count - end;
    group_.get(member, dest_, dest_, borders_[wrapped]);
  }

  Group& group_;
  Borders borders_;
  std::byte* dest_;
  const void* source_;
};

Borders equal_blocks(const Group& group, std::size_t size) {
  Borders borders(std::size_t{group.size()} + 1);
  for (std::size_t i = 0; i < borders.size(); ++i) borders[i] = i * size;
  return borders;
}

Borders agree_on_blocks(Group& group, std::size_t size) {
  group.write_note(0, size);
  group.barrier();
  Borders borders(std::size_t{group.size()} + 1);
  for (std::uint32_t member = 0; member < group.size(); ++member)
    borders[member + 1] = borders[member] + group.note_of(member, 0);
  return borders;
}

// Few rounds for small sizes. Otherwise each byte is received once, from a neighbor.
Algorithm choose(std::size_t size) {
  constexpr std::size_t little = 64 * 1024;
  return size <= little ? Algorithm::recursive_doubling : Algorithm::ring;
}

}  // namespace

bool fcollect(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size) {
  const Concatenation blocks(group, equal_blocks(group, size), dest, source);
  blocks.run(is_flat(algorithm) ? algorithm : choose(blocks.size()));
  group.barrier();
  return group.well();
}

bool collect(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size) {
  const Concatenation blocks(group, agree_on_blocks(group, size), dest, source);
  if (!group.is_symmetric("collect", dest, blocks.size())) return false;
  blocks.run(algorithm);
  group.barrier();
  group.write_note(0, 0);
  return group.well();
}

}  // namespace gondwana::reference
