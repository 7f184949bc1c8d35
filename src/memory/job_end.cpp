#include "memory/job_end.hpp"

#include "memory/layout.hpp"

namespace gondwana {
namespace {

// NodeHeader::is_over is the sum of this number and the status. A stray store is unlikely to
// produce it.
constexpr std::uint32_t on_purpose = 0x646e4500;  // "End"

}  // namespace

std::optional<int> purposeful_end(const NodeHeader& node) {
  const std::uint32_t how = node.is_over.load(std::memory_order_relaxed);
  return (how & ~0xffU) == on_purpose ? std::optional(static_cast<int>(how & 0xff)) : std::nullopt;
}

// A rank that sleeps on program memory wakes within a millisecond by itself.
void announce_purposeful_end(NodeHeader& node, std::uint32_t ranks, int status) {
  std::uint32_t before = 0;
  const std::uint32_t how = on_purpose + (static_cast<std::uint32_t>(status) & 0xff);
  if (!node.is_over.compare_exchange_strong(before, how, std::memory_order_seq_cst)) return;
  auto* const control = reinterpret_cast<std::byte*>(&node);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    shared_at<ControlPage>(control, ControlLayout(ranks).page(rank)).sync_bell.ring();
}

}  // namespace gondwana
