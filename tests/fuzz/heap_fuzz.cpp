// Compares the heap allocator with the plainest one: a list of the allocated blocks.
#include <algorithm>
#include <map>
#include <numeric>

#include "core/assert.hpp"
#include "core/types.hpp"
#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"
#include "memory/heap.hpp"

namespace gondwana {
namespace {

constexpr std::size_t capacity = 64 * Heap::granule;

std::size_t granules(std::size_t size) {
  return std::max(round_up(size, Heap::granule), Heap::granule);
}

class Oracle {
 public:
  const std::map<std::size_t, std::size_t>& taken() const { return taken_; }

  std::size_t used() const {
    return std::accumulate(taken_.begin(), taken_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& block) { return sum + block.second; });
  }

  bool is_free(std::size_t offset, std::size_t size) const {
    return offset + size <= capacity && std::ranges::none_of(taken_, [&](const auto& block) {
             return offset < block.first + block.second && block.first < offset + size;
           });
  }

  bool has_room(std::size_t size, std::size_t alignment) const {
    if (size > capacity || alignment > capacity) return false;
    for (std::size_t at = 0; at < capacity; at += std::max(alignment, Heap::granule))
      if (is_free(at, granules(size))) return true;
    return false;
  }

  std::size_t largest_free() const {
    std::size_t largest = 0;
    std::size_t end = 0;
    for (const auto& [offset, size] : taken_) {
      largest = std::max(largest, offset - end);
      end = offset + size;
    }
    return std::max(largest, capacity - end);
  }

  void take(std::size_t offset, std::size_t size) { taken_[offset] = size; }
  void release(std::size_t offset) { taken_.erase(offset); }

 private:
  std::map<std::size_t, std::size_t> taken_;  // offset -> size
};

// Two heaps that receive the same calls, as on two ranks.
class Trial {
 public:
  void step(fuzz::Choices& choices) {
    switch (choices.take<std::uint8_t>() % 4) {
      case 0:
      case 1:
        return allocate(any_size(choices), std::size_t{1} << choices.take<std::uint8_t>() % 14);
      case 2:
        return release(any_offset(choices));
      default:
        return resize(any_offset(choices), any_size(choices));
    }
  }

  void check() const {
    GONDWANA_ASSERT(heap_.used() == oracle_.used(), heap_.used(), oracle_.used());
    GONDWANA_ASSERT(heap_.largest_free() == oracle_.largest_free(), heap_.largest_free(),
                    oracle_.largest_free());
    GONDWANA_ASSERT(twin_.used() == heap_.used(), twin_.used(), heap_.used());
  }

  void release_all() {
    while (!oracle_.taken().empty()) release(oracle_.taken().begin()->first);
    GONDWANA_ASSERT(heap_.used() == 0 && heap_.largest_free() == capacity, heap_.used(),
                    heap_.largest_free());
  }

 private:
  // Mostly small, sometimes larger than any heap.
  static std::size_t any_size(fuzz::Choices& choices) {
    const auto size = choices.take<std::uint16_t>();
    if (size == 0xffff) return ~std::size_t{0} - choices.take<std::uint8_t>();
    return size % (capacity / 3);
  }

  // Mostly the offset of an allocated block.
  std::size_t any_offset(fuzz::Choices& choices) const {
    const auto choice = choices.take<std::uint8_t>();
    if (oracle_.taken().empty() || choice >= 0xf0) return choice * (Heap::granule / 2);
    const auto number = static_cast<std::ptrdiff_t>(choice % oracle_.taken().size());
    return std::next(oracle_.taken().begin(), number)->first;
  }

  void allocate(std::size_t size, std::size_t alignment) {
    const auto block = heap_.allocate(size, alignment);
    const auto twin = twin_.allocate(size, alignment);
    GONDWANA_ASSERT(block.has_value() == oracle_.has_room(size, alignment), size, alignment);
    GONDWANA_ASSERT(twin.has_value() == block.has_value(), size, alignment);
    if (!block) return;
    GONDWANA_ASSERT(twin->offset == block->offset, twin->offset, block->offset);
    GONDWANA_ASSERT(block->size == granules(size), block->size, size);
    GONDWANA_ASSERT(block->offset % std::max(alignment, Heap::granule) == 0, block->offset);
    GONDWANA_ASSERT(oracle_.is_free(block->offset, block->size), block->offset, block->size);
    oracle_.take(block->offset, block->size);
  }

  void release(std::size_t offset) {
    const bool known = oracle_.taken().contains(offset);
    const auto block = heap_.release(offset);
    GONDWANA_ASSERT(block.has_value() == known, offset);
    GONDWANA_ASSERT(twin_.release(offset).has_value() == known, offset);
    if (!block) return;
    const std::size_t size = oracle_.taken().at(offset);
    GONDWANA_ASSERT(block->offset == offset && block->size == size, offset, block->size, size);
    oracle_.release(offset);
  }

  void resize(std::size_t offset, std::size_t size) {
    const bool possible = can_resize(offset, size);
    GONDWANA_ASSERT(heap_.resize(offset, size) == possible, offset, size);
    GONDWANA_ASSERT(twin_.resize(offset, size) == possible, offset, size);
    if (possible) oracle_.take(offset, granules(size));
    const auto found = heap_.find(offset);
    const auto block = oracle_.taken().find(offset);
    GONDWANA_ASSERT(found.has_value() == (block != oracle_.taken().end()), offset);
    if (found) GONDWANA_ASSERT(found->size == block->second, offset, found->size);
  }

  bool can_resize(std::size_t offset, std::size_t size) const {
    const auto block = oracle_.taken().find(offset);
    if (block == oracle_.taken().end() || size > capacity) return false;
    const std::size_t need = granules(size);
    const std::size_t have = block->second;
    return need <= have || oracle_.is_free(offset + have, need - have);
  }

  Heap heap_{capacity};
  Heap twin_{capacity};
  Oracle oracle_;
};

}  // namespace
}  // namespace gondwana

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gondwana::fuzz::Choices choices({data, size});
  gondwana::Trial trial;
  while (!choices.empty()) {
    trial.step(choices);
    trial.check();
  }
  trial.release_all();
  return 0;
}
