#include "run/node/known_nodes.hpp"

#include <fmt/format.h>

#include <atomic>
#include <span>

namespace gondwana::launch {
namespace {

constexpr std::size_t longest_contact = NodeInfo::longest_address + NodeInfo::longest_key;

}  // namespace

// Ranks that have moved to another node since they were added are placed there later.
void KnownNodes::place(std::uint32_t node, const NodeRanks& ranks) {
  for (const Rank rank : ranks) {
    std::atomic<std::uint32_t>& moved = table_->moved_to(rank);
    if (index(rank) >= first_ranks_ && moved.load(std::memory_order_relaxed) == 0)
      moved.store(node + 1, std::memory_order_relaxed);
  }
}

// A changed address is stored after all others: a rank may read the former one.
Result<void> KnownNodes::write(const std::vector<NodeRow>& rows) {
  for (const auto& [node, epoch, info] : rows) {
    const auto contact = NodeContact::unpack(std::as_bytes(std::span(info)));
    if (!contact) {
      return Error{Errc::malformed,
                   fmt::format("the address information of node {} is garbled; use the same build "
                               "of Gondwana on every host",
                               node)};
    }
    written_ += contact->address().size() + contact->key().size();
    if (written_ > directory_.size() * longest_contact)
      return Error{
          Errc::out_of_memory,
          fmt::format("the address of node {} has changed too often; start the job again", node)};
    table_->write(node, *contact);
    place(node, contact->info().ranks);
    table_->entry(node).state.store(NodeState::known, std::memory_order_release);  // ranks acquire
  }
  return {};
}

}  // namespace gondwana::launch
