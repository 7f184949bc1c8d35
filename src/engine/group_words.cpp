// Small results between nodes: written where their reader waits for them, one message for each
// word.
#include "engine/group.hpp"

namespace gondwana {
namespace {

constexpr std::size_t half = sizeof(std::uint32_t);

std::size_t words_for(std::size_t size) {
  GONDWANA_ASSERT(size <= NodeWords::most_bytes, size);
  return (size + half - 1) / half;
}

constexpr std::uint64_t stamped(std::uint64_t exchange, std::uint32_t bytes) {
  return exchange << 32 | bytes;
}

}  // namespace

void Group::write_words(std::uint32_t member, std::uint32_t place, std::uint64_t exchange,
                        Bytes bytes) {
  for (std::size_t word = 0; word < words_for(bytes.size()); ++word) {
    std::uint32_t part = 0;
    const Bytes rest = bytes.subspan(word * half);
    std::memcpy(&part, rest.data(), std::min(half, rest.size()));
    AtomicRequest store{AtomicOp::swap, AtomicType::uint64};
    store.operand = stamped(exchange, part);
    const Remote to{rank_of(member), NodeWords::offset(members_.number, place, exchange, word)};
    if (!engine_.begin_over_wire(engine_.default_lane_, to, store, nullptr)) well_ = false;
  }
}

void Group::read_words(std::uint32_t from, std::uint32_t place, std::uint64_t exchange,
                       MutableBytes bytes) {
  std::byte* window = engine_.memory_->window(engine_.rank_);
  for (std::size_t word = 0; word < words_for(bytes.size()); ++word) {
    const std::atomic_ref<std::uint64_t> cell(*reinterpret_cast<std::uint64_t*>(
        window + NodeWords::offset(members_.number, place, exchange, word)));
    std::uint64_t found = 0;
    const auto has_come = [&] {
      found = cell.load(std::memory_order_acquire);
      return found >> 32 == (exchange & 0xffff'ffff);
    };
    engine_.wait({.call = call_,
                  .peer = index(rank_of(from)),
                  .team = members_.number,
                  .on_program_memory = true},
                 has_come);
    const MutableBytes rest = bytes.subspan(word * half);
    const auto part = static_cast<std::uint32_t>(found);
    std::memcpy(rest.data(), &part, std::min(half, rest.size()));
  }
}

}  // namespace gondwana
