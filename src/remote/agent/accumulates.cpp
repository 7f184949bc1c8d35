// Accumulates of other nodes. Ranks of this node add to the same elements under the same locks. The
// agent never waits for a lock: it puts the rest of the batch aside, and tries again.
#include <algorithm>
#include <utility>

#include "remote/agent/implementation.hpp"

namespace gondwana {

using remote::ReceivedRequest;
using remote::Row;

// Adds what is not among the first `added` bytes. False: a process of this node has a lock.
bool NodeAgent::Implementation::accumulate(const ReceivedRequest& received, std::size_t& added) {
  const Rank to = received.request.target().rank;
  const Accumulation sum = Accumulation::unscaled(received.element());
  const std::size_t element = width(sum.type());
  std::byte* arena = memory_->window(to);
  HeldStripes stripes(memory_->page(to).accumulate_locks);
  std::size_t begin = 0;  // of the piece, in the packed bytes
  for (std::size_t i = 0; i < received.rows(); ++i) {
    const Row row = received.row(i);
    std::uint64_t offset = row.offset;
    for (std::size_t piece = 0; piece < row.count; ++piece, begin += row.size) {
      while (added < begin + row.size) {
        const std::size_t done = added - begin;
        const std::size_t size = HeldStripes::next_part(offset + done, row.size - done, element);
        if (!stripes.try_move_to(offset + done, size)) return false;
        sum.add(arena + offset + done, received.packed().data() + added, size);
        added += size;
      }
      offset += static_cast<std::uint64_t>(row.step);
    }
    note_written(to, row);
  }
  return true;
}

void NodeAgent::Implementation::stall(const remote::Batch& batch, Bytes requests,
                                      std::size_t added) {
  clients_[batch.from].stalled =
      Stalled{batch, {requests.begin(), requests.end()}, added, std::exchange(results_, {})};
  stalled_.push_back(batch.from);
}

void NodeAgent::Implementation::resume_stalled() {
  for (const std::uint32_t from : std::exchange(stalled_, {})) resume(from);
}

void NodeAgent::Implementation::resume(std::uint32_t from) {
  Client& client = clients_[from];
  if (!client.stalled) return;  // the process is replaced
  Stalled stalled = *std::exchange(client.stalled, std::nullopt);
  results_ = std::move(stalled.results);
  execute(remote::ReceivedBatch{stalled.batch, stalled.requests}, stalled.added);
  execute_kept(client);
}

}  // namespace gondwana
