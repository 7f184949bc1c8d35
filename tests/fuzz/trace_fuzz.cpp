// Events in control memory that a program has damaged: whatever its words contain, they are read or
// left out. The input is a list of places and the values written there.
#include <unistd.h>

#include <cstring>
#include <vector>

#include "core/mapping.hpp"
#include "core/ticks.hpp"
#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"
#include "memory/layout.hpp"
#include "observe/trace/flows.hpp"
#include "observe/trace/node_trace.hpp"
#include "observe/trace/wire.hpp"

namespace gondwana::trace {
namespace {

class Memory {
 public:
  Memory() {
    facts_.ranks = {0, 1};
    facts_.nodes = facts_.node_slots = facts_.job_ranks = facts_.slots = 1;
    facts_.ring_size = min_ring_size;
    const Result<UniqueFd> file = create_memfd("gondwana-fuzz", layout_.size());
    GONDWANA_ASSERT(file, layout_.size());
    Result<Mapping> mapping = Mapping::shared(*file, layout_.size());
    GONDWANA_ASSERT(mapping, layout_.size());
    memory_ = *std::move(mapping);
    auto& place = shared_at<TracePlace>(memory_.data(), layout_.trace(0));
    const ClockPair now = read_clocks();
    place.first_ticks = now.ticks;
    place.first_ns = now.ns;
    place.names_known = 3;
    TraceRing& ring = place.ring(0, min_ring_size);
    ring.thread = 1;
    ring.room = min_ring_size / sizeof(StoredEvent);
    for (int i = 0; i < 100; ++i)
      ring.add({.begin = now.ticks + static_cast<std::uint64_t>(i), .duration = 5, .name = 1});
    whole_.assign(begin(), begin() + length_);
  }

  void restore() { std::memcpy(begin(), whole_.data(), length_); }
  template <typename T>
  void write(std::size_t place, T value) {
    std::memcpy(begin() + place % (length_ - sizeof(T)), &value, sizeof(T));
  }
  NodeTrace read() const { return read_node(memory_.data(), facts_); }

 private:
  std::byte* begin() const { return memory_.data() + layout_.trace(0); }

  ControlLayout layout_{1, 1, min_ring_size};
  // Clocks, some names, and the first ring with its events lie there.
  std::size_t length_ = sizeof(TracePlace) + sizeof(TraceRing) + min_ring_size;
  NodeFacts facts_{};
  Mapping memory_;
  std::vector<std::byte> whole_;
};

void damage(Memory& memory, fuzz::Choices choices) {
  while (!choices.empty()) {
    const auto what = choices.take<std::uint8_t>();
    // Most of the place is names: small numbers are clocks and counts, and the head of the ring.
    const std::size_t place = what % 4 == 0   ? choices.take<std::uint8_t>() % 64U
                              : what % 4 == 1 ? sizeof(TracePlace) + choices.take<std::uint8_t>()
                                              : choices.take<std::uint16_t>();
    if (what % 8 < 4)
      memory.write(place, choices.take<std::uint64_t>());
    else
      memory.write(place, choices.take<std::uint8_t>());
  }
}

}  // namespace
}  // namespace gondwana::trace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  static trace::Memory memory;
  memory.restore();
  trace::damage(memory, fuzz::Choices({data, size}));
  std::vector<trace::NodeTrace> nodes{memory.read()};
  GONDWANA_ASSERT(trace::decode(trace::encode(nodes[0])), size);
  trace::find_flows(nodes);
  trace::keep_last(nodes, 1'000'000);
  return 0;
}
