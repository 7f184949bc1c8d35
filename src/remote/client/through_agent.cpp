#include "remote/client/through_agent.hpp"

#include <algorithm>
#include <cstring>

#include "remote/protocol.hpp"

namespace gondwana::remote {
namespace {

static_assert(longest_batch <= RecordRing::longest);
static_assert(sizeof(MessageHeader) + longest_message <= RecordRing::longest);

// The most messages that one poll handles.
constexpr int max_answers = 64;

// The largest batch in bytes that is copied into the ring.
constexpr std::size_t max_copied = 4096;

Error messages_only() {
  return {Errc::missing, "the node agent carries messages only"};
}

}  // namespace

ThroughAgent::ThroughAgent(const std::shared_ptr<NodeMemory>& memory, Rank me)
    : memory_(memory),
      nodes_(memory),
      place_(memory->relay(me)),
      to_agent_(place_.to_agent),
      from_agent_(place_.to_rank) {}

// The agent of this node receives the replies.
Bytes ThroughAgent::address() const {
  return nodes_.address(memory_->plan().node);
}

Result<Posted> ThroughAgent::send_to_agent(std::uint32_t node, std::size_t size, Write write) {
  std::byte* message = to_agent_.open(size, node);
  wants_room_ = message == nullptr;
  if (wants_room_) return Posted::busy;
  write(message);
  to_agent_.publish();
  memory_->header().agent_bell.ring_if_asleep(memory_->agent_bell());
  return Posted::accepted;
}

// A small batch is copied into the ring, so that its slot is free at once. The agent sends a large
// one from its slot, and clears the slot.
Result<Posted> ThroughAgent::send_batch(std::uint32_t node, BatchSlots::Slot& slot,
                                        std::size_t size) {
  BatchState<RealAtomics>& state = slot.state();
  if (size <= max_copied) {
    Result<Posted> posted = send_to_agent(
        node, size, [&](std::byte* message) { std::memcpy(message, slot.bytes(), size); });
    if (*posted == Posted::accepted) state.clear();
    return posted;
  }
  const bool is_new = state.value().is_empty();
  if (is_new) {
    state.open(static_cast<std::uint32_t>(size));
    state.take(state.value());
  }
  Result<Posted> posted = send_to_agent(slot_bit | slot.number(), 0, [](std::byte*) {});
  if (is_new && *posted == Posted::busy) state.clear();
  return posted;
}

// All slots, and only results that fit in the ring, because the agent would copy others twice.
Route::Window ThroughAgent::window() const {
  return {.bytes = BatchPlace::count * BatchSlot::size, .results = 3 * longest_results};
}

// The agent of the target's node delivers it.
Result<Posted> ThroughAgent::send_to_rank(Rank to, std::size_t size, Write write,
                                          Departure /*departure*/) {
  return send_to_agent(nodes_.node_of(to), size, write);
}

Result<Posted> ThroughAgent::write(Remote /*to*/, Bytes /*source*/, Completion& /*done*/) {
  return messages_only();
}

Result<Posted> ThroughAgent::read(MutableBytes /*target*/, Remote /*from*/, Completion& /*done*/) {
  return messages_only();
}

bool ThroughAgent::poll(const Handlers& handlers) {
  int handled = 0;
  for (; handled < max_answers; ++handled) {
    const auto message = from_agent_.front();
    if (!message) break;
    handlers.on_message(message->bytes);
    from_agent_.pop();
  }
  return handled > 0;
}

void ThroughAgent::sleep(std::chrono::microseconds limit) {
  place_.bell.sleep_until([this] { return from_agent_.shows_record(); }, limit);
}

}  // namespace gondwana::remote
