#include "engine/collectives/levels/words.hpp"

#include <cstring>

namespace gondwana {

void NodeExchange::write(std::uint32_t node, std::uint32_t place, Bytes bytes) {
  GONDWANA_ASSERT(bytes.size() <= NodeWords::most_bytes, bytes.size());
  with_.remote->send_update(levels_.leaders[node],
                            {.offset = NodeWords::offset(team(), place, number_),
                             .bytes = bytes,
                             .word_offset = NodeWords::number_offset(team(), place, number_),
                             .word = number_});
}

void NodeExchange::read(std::uint32_t from, std::uint32_t place, MutableBytes bytes) {
  std::byte* window = with_.memory.window(with_.me);
  const std::atomic_ref<std::uint64_t> number(
      *reinterpret_cast<std::uint64_t*>(window + NodeWords::number_offset(team(), place, number_)));
  const auto has_come = [&] {
    return number.load(std::memory_order_acquire) == number_;  // pairs with who carries mail out
  };
  with_.waiter.until(
      {.call = call_, .peer = index(levels_.leaders[from]), .team = team(), .on_network = true},
      has_come);
  if (!bytes.empty())
    std::memcpy(bytes.data(), window + NodeWords::offset(team(), place, number_), bytes.size());
}

}  // namespace gondwana
