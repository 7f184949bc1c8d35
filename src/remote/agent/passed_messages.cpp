#include "remote/agent/passed_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "remote/agent/job_watch.hpp"

namespace gondwana::remote {

void PassedMessages::pass(Rank to, Bytes batch) {
  auto& batches = batches_[index(to)];
  if (batches.empty()) waiting_.push_back(index(to));
  batches.emplace_back(batch.begin(), batch.end());
}

void PassedMessages::send() {
  std::erase_if(waiting_, [this](std::uint32_t rank) { return send_to(rank); });
}

// False: some messages still wait.
bool PassedMessages::send_to(std::uint32_t rank) {
  auto& batches = batches_[rank];
  if (deaths_.has(Rank(rank))) batches.clear();
  for (; !batches.empty(); batches.pop_front()) {
    const Result<Posted> sent = send(rank, batches.front());
    if (!sent) tell_undelivered(rank, sent.error().text);
    if (sent && *sent == Posted::busy) return false;
  }
  return true;
}

Result<Posted> PassedMessages::send(std::uint32_t rank, Bytes batch) {
  if (Result<Posted> met = meet(rank); !met || *met == Posted::busy) return met;
  return outbox_.send(rank, batch);
}

// Busy: the rank has no endpoint yet. A process that replaces another one has another address.
Result<Posted> PassedMessages::meet(std::uint32_t rank) {
  const std::uint32_t last_death = deaths_.place_of(Rank(rank));
  if (outbox_.has_met(rank) && met_after_[rank] == last_death) return Posted::accepted;
  const EndpointInfo& info = memory_.endpoint_info(Rank(rank));
  const std::uint64_t size = info.size.load(std::memory_order_acquire);  // pairs with write_info()
  if (size == 0) return Posted::busy;
  if (size > info.address.size()) return Error{Errc::refused, "the rank has no address"};
  const Result<void> met = outbox_.meet(rank, Bytes(info.address).first(size));
  if (!met) return met.error();
  met_after_[rank] = last_death;
  return Posted::accepted;
}

void PassedMessages::tell_undelivered(std::uint32_t rank, const std::string& why) {
  if (memory_.page(Rank(rank)).state.load(std::memory_order_relaxed) != RankState::running) return;
  // The rank may have died. The launcher tells of it.
  if (memory_.header().goes_on.load(std::memory_order_relaxed) != 0) return;
  declare_over(
      memory_.header(),
      fmt::format("host {}: a message cannot be passed on to rank {}: {}", host_, rank, why));
}

}  // namespace gondwana::remote
