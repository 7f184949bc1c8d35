// How a stream of requests counts unanswered bytes.
#include "remote/client/stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "memory/node_memory.hpp"
#include "support/recorded_route.hpp"

namespace gondwana {
namespace {

using remote::NewRequest;
using remote::Request;
using remote::RequestKind;
using remote::Stream;

// The agent takes an open batch, sends it and clears its state before the rank notices.
TEST(stream, a_batch_that_the_agent_has_sent_and_emptied_counts_with_all_its_bytes) {
  constexpr std::size_t bytes = 1000;
  constexpr std::size_t batch = sizeof(remote::Batch) + sizeof(Request) + bytes;
  Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create({1, 0, 0, 2, 2});
  ASSERT_TRUE(memory) << memory.error().text;
  test::RecordedRoute route(3 * batch);
  Traffic traffic{};
  Stream::Shared shared{.route = route,
                        .slots = remote::BatchSlots(**memory, Rank(0)),
                        .tag = 1,
                        .me = 0,
                        .batch_limit = 16'384,
                        .traffic = traffic};
  Stream stream(shared, 1);
  Completion done;
  const auto write = [](std::byte* to) { std::memset(to, 1, bytes); };
  const auto append = [&] {
    const NewRequest request{.request = {.kind = RequestKind::write, .to = 1, .operand = bytes},
                             .payload_size = bytes,
                             .write_payload = write,
                             .done = &done};
    const Result<Posted> posted = stream.append(request);
    return posted && *posted == Posted::accepted;
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(append());
  ASSERT_EQ(route.batches, 2) << "the third is open, and the agent may take it";
  for (BatchSlot& slot : (*memory)->batches(Rank(0)).slots) {
    if (!slot.state.value().is_open()) continue;
    ASSERT_TRUE(slot.state.take(slot.state.value()));
    slot.state.clear();
  }
  ASSERT_TRUE(append()) << "opens another batch";
  ASSERT_TRUE(stream.is_open());
  const Result<Posted> flushed = stream.flush(Stream::Urgency::send);
  ASSERT_TRUE(flushed);
  EXPECT_EQ(*flushed, Posted::busy) << "three batches fill the window";
  EXPECT_EQ(route.batches, 2);
  stream.lose({Errc::peer_lost, "gone"});
  EXPECT_TRUE(done.done());
  EXPECT_EQ(done.take_loss(), stream.loss());
}

}  // namespace
}  // namespace gondwana
