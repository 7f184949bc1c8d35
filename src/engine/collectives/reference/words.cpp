// Words between nodes: mail that is carried out where its reader waits for it.
#include "engine/collectives/reference/group.hpp"

namespace gondwana {

void Group::write_words(std::uint32_t node, std::uint32_t place, std::uint64_t exchange,
                        Bytes bytes) {
  GONDWANA_ASSERT(bytes.size() <= NodeWords::most_bytes, bytes.size());
  const std::uint32_t team = members_.number;
  engine_.send_update(rank_of(node),
                      {.offset = NodeWords::offset(team, place, exchange),
                       .bytes = bytes,
                       .word_offset = NodeWords::number_offset(team, place, exchange),
                       .word = exchange});
}

void Group::read_words(std::uint32_t node, std::uint32_t place, std::uint64_t exchange,
                       MutableBytes bytes) {
  const std::uint32_t team = members_.number;
  std::byte* window = engine_.memory_->window(engine_.rank_);
  const std::atomic_ref<std::uint64_t> number(
      *reinterpret_cast<std::uint64_t*>(window + NodeWords::number_offset(team, place, exchange)));
  const auto has_come = [&] {
    return number.load(std::memory_order_acquire) == exchange;  // pairs with who carries mail out
  };
  engine_.wait({.call = call_, .peer = index(rank_of(node)), .team = team, .on_wire = true},
               has_come);
  if (!bytes.empty())
    std::memcpy(bytes.data(), window + NodeWords::offset(team, place, exchange), bytes.size());
}

}  // namespace gondwana
